-- PIONEER's first sufficient criterion (Botvinnik and others, 1983): each side has a pawn, and both kings are in the
-- square of the other side's pawn. A side whose king is nearer to the enemy pawn than the enemy king is to the other
-- pawn has at least a draw.
--
-- On trial: KPvKP

local lib = use("lib")

return function()
  if not lib.in_square(wp, "white") or not lib.in_square(bp, "black") then return end
  local white, black = lib.plies("white", bp), lib.plies("black", wp)
  if white == black then return end
  local better = white < black and "white" or "black"
  return turn == better and "not loss" or "not win", "nearer to the enemy pawn"
end
