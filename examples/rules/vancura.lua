-- Vancura's position (Vancura 1924; in any book on rook endings): rook and rook's pawn against rook. The pawn is on
-- the sixth rank, and its rook is in front of it. The other rook attacks the pawn from the side. Its king is on the
-- seventh rank, on the knight's or rook's file of the other wing. Then the pawn does not win.
--
-- On trial: KRPvKR

return function()
  local f = file(wp)
  if (f ~= 1 and f ~= 8) or rank(wp) ~= 6 or file(wr) ~= f or rank(wr) < 7 then return end
  if rank(br) ~= 6 or rank(bk) ~= 7 or math.abs(file(bk) - f) < 6 then return end
  local low, high = math.min(f, file(br)), math.max(f, file(br))
  if rank(wk) == 6 and file(wk) > low and file(wk) < high then return end
  return turn == "white" and "not win" or "not loss", turn == "white" and "White to move" or "Black to move"
end
