-- King and rook against king, by the advice table of Bratko and Michie (1978-80). It is printed in Bratko, "Prolog
-- Programming for Artificial Intelligence", chapter 15: six pieces of advice and two rules.
--
-- The rook shuts their king in a room, a rectangle in a corner of the board, and makes it smaller. Our king helps. At
-- the edge it is mate in two. The book claims that the strategy always mates, in at most 50 moves.
--
-- In the printed table, only the advice "squeeze" avoids stalemate. So Black is stalemated in 15 positions, such as
-- 8/8/8/8/8/8/3R4/k1K5 w - - 0 1, where the rook goes to b2 to divide the kings. Here all advice avoids stalemate.

local function manhattan(a, b)
  return math.abs(file(a) - file(b)) + math.abs(rank(a) - rank(b))
end

local function edge(square)
  local f, r = file(square), rank(square)
  return f == 1 or f == 8 or r == 1 or r == 8
end

local function between(a, b, c) return (a < b and b < c) or (c < b and b < a) end

-- Whether the rook stands on a file or a rank between the kings.
local function divides()
  return between(file(wk), file(wr), file(bk)) or between(rank(wk), rank(wr), rank(bk))
end

-- Whether their king can attack the rook before ours can protect it.
local function exposed()
  local ours, theirs = distance(wk, wr), distance(bk, wr)
  return ours > theirs + (turn == "white" and 1 or 0)
end

-- The number of squares of the rectangle in which the rook holds the king; 64 if the king is on a line of the rook.
local function room(rook, king)
  local rf, rr, kf, kr = file(rook), rank(rook), file(king), rank(king)
  if kf == rf or kr == rr then return 64 end
  return (kf < rf and rf - 1 or 8 - rf) * (kr < rr and rr - 1 or 8 - rr)
end

-- The distance of our king to the critical square: the square diagonally next to the rook, towards their king.
local function to_critical(ours, rook, theirs)
  local f = file(rook) + (file(theirs) > file(rook) and 1 or -1)
  local r = rank(rook) + (rank(theirs) > rank(rook) and 1 or -1)
  return math.abs(file(ours) - f) + math.abs(rank(ours) - r)
end

-- Whether our king and rook together shut their king in, in the form of an L.
local function l_shape() return manhattan(wk, bk) == 2 and manhattan(wr, bk) == 3 end

local function roomy() return room(wr, bk) > 2 or not edge(wk) end

-- The holding goal of all advice: the rook is there, and Black is not stalemated.
local function kept() return wr ~= nil and not stalemate end

local function divided() return turn == "black" and divides() and not exposed() end

local function king_diagonally_first(move)
  if move.man ~= "k" then return false end
  return file(move.from) ~= file(move.to) and rank(move.from) ~= rank(move.to) and 1 or 2
end

return {
  material = "KRvK",
  rules = {
    {
      when = function() return edge(bk) and distance(wk, bk) < 4 end,
      "mate in 2", "squeeze", "approach", "keep room", "divide in 2", "divide in 3",
    },
    {"squeeze", "approach", "keep room", "divide in 2", "divide in 3"},
  },
  advice = {
    ["mate in 2"] = {
      better = function() return mate end,
      holding = function() return kept() and edge(bk) end,
      us = function(move, depth) return depth == 0 or move.check end,
      depth = 3,
    },
    ["squeeze"] = {
      better = function()
        return room(wr, bk) < room(root.wr, root.bk) and not exposed() and divides() and not stalemate
      end,
      holding = kept,
      us = function(move) return move.man == "r" end,
    },
    ["approach"] = {
      better = function()
        return to_critical(wk, wr, bk) < to_critical(root.wk, root.wr, root.bk)
          and not exposed() and (divides() or l_shape()) and roomy()
      end,
      holding = kept,
      us = king_diagonally_first,
    },
    ["keep room"] = {
      better = function()
        return not exposed() and divides() and distance(wk, wr) <= distance(root.wk, root.wr)
          and roomy()
      end,
      holding = kept,
      us = king_diagonally_first,
    },
    ["divide in 2"] = {better = divided, holding = kept, depth = 3},
    ["divide in 3"] = {better = divided, holding = kept, depth = 5},
  },
}
