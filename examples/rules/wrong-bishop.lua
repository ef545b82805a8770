-- The wrong bishop: a rook's pawn whose promotion square the bishop does not attack does not win against a king
-- that stands in that corner or beside it (in any book on endings).
--
-- On trial: KBPvK

return function()
  local f = file(wp)
  if f ~= 1 and f ~= 8 then return end
  local corner = f == 1 and "a8" or "h8"
  if light(wb) == light(corner) or distance(bk, corner) > 1 then return end
  return "draw", "wrong bishop, king in the corner"
end
