-- The square of the pawn: PIONEER's absolute criterion for a pawn against a king (Botvinnik and others, 1983).
--
--   (1) If the king is not in the square of the pawn, the pawn wins.
--   (2) If the king is in the square, and is nearer to the pawn than the pawn's own king, the position is a draw.
--
-- On trial: KPvK

local lib = use("lib")

return function()
  local side = wp and "white" or "black"
  local pawn = wp or bp
  local mine = turn == side
  if not lib.in_square(pawn, side) then return mine and "win" or "loss", "outside the square" end
  if lib.plies(lib.other(side), pawn) < lib.plies(side, pawn) then
    return "draw", "in the square, and nearer to the pawn"
  end
end
