-- King and two bishops against king.
--
-- One number measures the progress. It becomes smaller if their king has less room, is nearer to an edge or a corner,
-- or if our king is nearer to theirs. White plays so that the number becomes smaller whatever Black does, within
-- three moves. When their king is shut in at a corner, our king goes to the square a knight's move from the corner,
-- where it helps to mate. To avoid stalemate, their king keeps at least two squares. Neither bishop may be attacked
-- when White is to move. The number falls each time, so White cannot repeat positions.

-- The distances of a square to the nearest edges: left or right, and bottom or top.
local function from_edges(square)
  local f, r = file(square), rank(square)
  return math.min(f - 1, 8 - f), math.min(r - 1, 8 - r)
end

-- The distance of our king to the squares a knight's move from the corner nearest to their king.
local function to_support(ours, theirs)
  local f, r = file(ours), rank(ours)
  if file(theirs) > 4 then f = 9 - f end
  if rank(theirs) > 4 then r = 9 - r end
  return math.min(math.abs(f - 2) + math.abs(r - 3), math.abs(f - 3) + math.abs(r - 2))
end

-- The number that measures the progress, for the present position or for `root`. With our king nearer to the middle it
-- is slightly smaller.
local function far(ours, theirs, squares)
  local x, y = from_edges(theirs)
  local our_x, our_y = from_edges(ours)
  local kings = distance(ours, theirs)
  return squares + 2 * kings + 2 * (x + y) + 3 * math.min(x, y)
    + (squares <= 3 and to_support(ours, theirs) or 8 + kings) - (our_x + our_y) / 16
end

-- Whether their king cannot capture a bishop.
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
