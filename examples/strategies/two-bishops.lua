-- King and two bishops against king.
--
-- One number says how far there is to go: the less room their king has, the nearer it is to an edge and to a corner,
-- and the nearer our king is to theirs, the better. White plays so that it has become less whatever Black does, within
-- three moves at most; once their king is shut in at a corner, ours goes to the square a knight's move from it, where
-- it helps to mate. What one has to mind is stalemate, so their king keeps two squares at least, and that neither bishop
-- is attacked when it is White's turn. As the number falls each time, White cannot go round in circles.

-- How far a square is from the nearest edges, left or right and bottom or top.
local function from_edges(square)
  local f, r = file(square), rank(square)
  return math.min(f - 1, 8 - f), math.min(r - 1, 8 - r)
end

-- How far our king is from the squares a knight's move from the corner that is nearest to theirs.
local function to_support(ours, theirs)
  local f, r = file(ours), rank(ours)
  if file(theirs) > 4 then f = 9 - f end
  if rank(theirs) > 4 then r = 9 - r end
  return math.min(math.abs(f - 2) + math.abs(r - 3), math.abs(f - 3) + math.abs(r - 2))
end

-- How far there is to go; of the position at hand, or of root. Of equals it is less with our king nearer the middle.
local function far(ours, theirs, squares)
  local x, y = from_edges(theirs)
  local our_x, our_y = from_edges(ours)
  local kings = distance(ours, theirs)
  return squares + 2 * kings + 2 * (x + y) + 3 * math.min(x, y)
    + (squares <= 3 and to_support(ours, theirs) or 8 + kings) - (our_x + our_y) / 16
end

-- Their king cannot take a bishop.
local function safe()
  for _, bishop in ipairs(squares("wb")) do
    if distance(bishop, bk) == 1 and distance(bishop, wk) > 1 then return false end
  end
  return true
end

local function kept() return turn == "white" or not stalemate and safe() end

local function nearer()
  if turn == "black" then return mate end
  local squares = room("black")
  return squares > 1 and far(wk, bk, squares) < far(root.wk, root.bk, root.room("black")) and safe()
end

return {
  material = "KBBvK",
  rules = {
    {when = function() return room("black") <= 3 end, "mate in 2", "press", "keep both bishops"},
    {"press", "keep both bishops"},
  },
  advice = {
    ["mate in 2"] = {better = function() return mate end, holding = kept, depth = 3},
    ["press"] = {better = nearer, holding = kept, depth = 6},
    ["keep both bishops"] = {better = kept},
  },
}
