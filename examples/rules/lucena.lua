-- Lucena's position (Salvio 1634; in any book on endings): rook and pawn against rook. The pawn, not a rook's pawn,
-- is on the seventh rank, and its king is in front of it on the eighth. The rook cuts off the other king, which is at
-- least two files away. White, to move, builds the bridge.
--
-- On trial: KRPvKR

return function()
  if turn ~= "white" or check then return end
  local f = file(wp)
  if f == 1 or f == 8 or rank(wp) ~= 7 or rank(wk) ~= 8 or file(wk) ~= f then return end
  local away = file(bk) - f
  if math.abs(away) < 2 then return end
  local cut = file(wr) - f
  if cut * away <= 0 or math.abs(cut) >= math.abs(away) then return end
  return "win", "the other king cut off"
end
