-- King and queen against king, as beginners learn it.
--
-- The queen alone makes the part of the board smaller that the other king has, by a third or more if possible, until
-- the king is shut in on an edge and the queen is on the line next to it. Then our king goes to the square behind the
-- queen, and it is mate. Two things need care: stalemate, and our king on the same edge.

-- Whether two squares are on the same edge.
local function share_edge(a, b)
  local function on(of) return of(a) == of(b) and (of(a) == 1 or of(a) == 8) end
  return on(file) or on(rank)
end

-- Whether their king cannot leave its edge: the queen is on the line next to it, and our king is neither in the queen's
-- way nor next to their king on that side.
local function shut_in(theirs, queen, ours)
  local function by(of, along)
    local line = of(theirs) == 1 and 2 or of(theirs) == 8 and 7
    local same_side = (along(ours) - along(queen)) * (along(theirs) - along(queen)) > 0
    return of(queen) == line and not (same_side and math.abs(of(ours) - of(theirs)) <= 1)
  end
  return by(file, rank) or by(rank, file)
end

-- The distance of our king to the square behind the queen, as seen from the edge.
local function to_support(ours, queen, theirs)
  local f, r = file(queen), rank(queen)
  if rank(theirs) == 1 and r == 2 then r = 3
  elseif rank(theirs) == 8 and r == 7 then r = 6
  elseif file(theirs) == 1 and f == 2 then f = 3
  elseif file(theirs) == 8 and f == 7 then f = 6
  end
  return math.abs(file(ours) - f) + math.abs(rank(ours) - r)
end

-- Whether the queen alone leaves their king fewer squares than before, but more than one, which might be stalemate.
local function smaller()
  local squares = room("black", "q")
  return squares > 1 and squares < root.room("black", "q") and not check
end

-- The holding goal of all advice: the queen cannot be captured, and their king has a move.
local function kept() return turn == "white" or not (stalemate or attacked(wq, "black")) end

local function king(move) return move.man == "k" end
local function queen(move) return move.man == "q" end

return {
  material = "KQvK",
  rules = {
    {when = function() return share_edge(wk, bk) end, "mate in 2", "leave the edge", "wait"},
    {
      when = function() return shut_in(bk, wq, wk) end,
      "mate in 2", "squeeze", "approach", "hold the line", "wait",
    },
    {"mate in 2", "shut in", "squeeze hard", "squeeze", "squeeze in 2", "approach", "wait"},
  },
  advice = {
    ["mate in 2"] = {better = function() return mate end, holding = kept, depth = 3},
    ["leave the edge"] = {
      better = function() return not share_edge(wk, bk) end,
      holding = kept,
      us = king,
    },
    ["shut in"] = {
      better = function() return shut_in(bk, wq, wk) end,
      holding = kept,
      us = queen,
    },
    ["squeeze hard"] = {
      better = function() return smaller() and 3 * room("black", "q") <= 2 * root.room("black", "q") end,
      holding = kept,
      us = queen,
    },
    ["squeeze"] = {better = smaller, holding = kept, us = queen},
    ["squeeze in 2"] = {
      better = function() return turn == "black" and smaller() end,
      holding = kept,
      us = queen,
      depth = 3,
    },
    ["approach"] = {
      better = function()
        return to_support(wk, wq, bk) < to_support(root.wk, root.wq, root.bk)
          and room("black", "q") <= root.room("black", "q")
      end,
      holding = kept,
      us = king,
    },
    ["hold the line"] = {
      better = function()
        return shut_in(bk, wq, wk)
          and to_support(wk, wq, bk) <= to_support(root.wk, root.wq, root.bk)
      end,
      holding = kept,
    },
    ["wait"] = {better = kept},
  },
}
