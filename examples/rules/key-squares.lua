-- Key squares (in any book on endings): the pawn wins, whichever side is to move, if its king stands two ranks in
-- front of it, on its file or a file next to it. If the pawn is on the fifth rank or beyond, one rank in front is
-- enough. The rule is not for rook's pawns.
--
-- On trial: KPvK

return function()
  local f, r = file(wp), rank(wp)
  if f == 1 or f == 8 then return end
  local ahead, beside = rank(wk) - r, math.abs(file(wk) - f)
  if beside > 1 or not (ahead == 2 or (ahead == 1 and r >= 5)) then return end
  return turn == "white" and "win" or "loss", "king on a key square"
end
