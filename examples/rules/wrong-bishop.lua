-- The wrong bishop (in any book on endings): bishop and rook's pawn, and the bishop does not attack the promotion
-- square. If the other king stands in this corner or next to it, the position is a draw.
--
-- On trial: KBPvK

return function()
  local f = file(wp)
  if f ~= 1 and f ~= 8 then return end
  local corner = f == 1 and "a8" or "h8"
  if light(wb) == light(corner) or distance(bk, corner) > 1 then return end
  return "draw", "wrong bishop, king in the corner"
end
