-- King and two bishops against king.
--
-- One number says how far there is to go: the less room their king has, the nearer it is to an edge and to a corner,
-- and the nearer our king is to theirs, the better. White plays so that it has become less whatever Black does, within
-- three moves at most; once their king is shut in at a corner, ours goes to the square a knight's move from it, where
-- it helps to mate. What one has to mind is stalemate: their king keeps two squares at least.

-- How far a square is from the nearest edges, left or right and bottom or top.
local function from_edges(square)
  local f, r = file(square), rank(square)
  return math.min(f - 1, 8 - f), math.min(r - 1, 8 - r)
end

local function from_edge(square) return math.min(from_edges(square)) end

-- How far our king is from the squares a knight's move from the corner that is nearest to theirs.
local function to_support(ours, theirs)
  local f, r = file(ours), rank(ours)
  if file(theirs) > 4 then f = 9 - f end
  if rank(theirs) > 4 then r = 9 - r end
  return math.min(math.abs(f - 2) + math.abs(r - 3), math.abs(f - 3) + math.abs(r - 2))
end

-- How far there is to go; of the position at hand, or of root.
local function far(ours, theirs, squares)
  local x, y = from_edges(theirs)
  local kings = distance(ours, theirs)
  return squares + 2 * kings + 2 * (x + y) + 3 * math.min(x, y)
    + (squares <= 3 and to_support(ours, theirs) or 8 + kings)
end

-- Neither bishop can be taken, and Black has a move.
local function kept()
  if turn == "white" then return true end
  for _, bishop in ipairs(squares("wb")) do
    if distance(bishop, bk) == 1 and distance(bishop, wk) > 1 then return false end
  end
  return not stalemate
end

local function nearer()
  if turn == "black" then return mate end
  local squares = room("black")
  return squares > 1 and far(wk, bk, squares) < far(root.wk, root.bk, root.room("black"))
end

return {
  material = "KBBvK",
  rules = {
    {when = function() return room("black") <= 3 end, "mate in 2", "press", "come out", "wait"},
    {"press", "come out", "wait"},
  },
  advice = {
    ["mate in 2"] = {better = function() return mate end, holding = kept, depth = 3},
    ["press"] = {better = nearer, holding = kept, depth = 6},
    ["come out"] = {
      better = function() return from_edge(wk) > from_edge(root.wk) end,
      holding = kept,
      us = function(move) return move.man == "k" end,
    },
    ["wait"] = {better = kept},
  },
}
