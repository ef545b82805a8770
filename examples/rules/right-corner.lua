-- Bishop and knight mate in the right corner, a corner of the bishop's colour (in any book on endings). This is a
-- statement about mates: true for a mate in such a corner or next to it. Books say that a mate can be forced nowhere
-- else. So if the king is mated at the next move, whatever it plays, it should also stand there. The table shows that
-- this is not so.
--
-- On trial: KBNvK

local corners = { "a1", "a8", "h1", "h8" }

-- The nearest corner of the bishop's colour, in king's moves.
local function to_right_corner()
  local best = 9
  for _, corner in ipairs(corners) do
    if light(corner) == light(wb) then best = math.min(best, distance(bk, corner)) end
  end
  return best
end

local function in_corner(square)
  return (file(square) == 1 or file(square) == 8) and (rank(square) == 1 or rank(square) == 8)
end

return function()
  if turn == "white" then return end
  local away
  if mate then
    away = to_right_corner()
    if away == 0 then return true, "mate in the right corner" end
    if away == 1 then return true, "mate beside the right corner" end
    if in_corner(bk) then return false, "mate in the wrong corner" end
    return false, "mate elsewhere on an edge"
  end
  if verdict == "loss" and dtm == 2 then
    away = to_right_corner()
    return away <= 1, away <= 1 and "at the right corner, mate follows" or "elsewhere, mate follows"
  end
end
