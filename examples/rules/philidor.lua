-- Philidor's position (Philidor 1777; in any book on endings): rook and pawn against rook. The pawn and its king are
-- not beyond the fifth rank. The other king stands on the promotion square or next to it, and its rook on the sixth
-- rank, the third from its own side. Then the defender, to move, does not lose.
--
-- On trial: KRPvKR

return function()
  if turn ~= "black" or check then return end
  local f = file(wp)
  if rank(wp) > 5 or rank(wk) > 5 or rank(br) ~= 6 then return end
  if rank(bk) ~= 8 or math.abs(file(bk) - f) > 1 then return end
  return "not loss", "rook on the third rank"
end
