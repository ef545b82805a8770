-- Key squares (in any book on endings): the pawn wins, whoever is to move, once its king stands two ranks
-- before it, on its file or beside it; from the fifth rank on one rank before it will do. Not for rook's pawns.
--
--
-- On trial: KPvK

return function()
  local f, r = file(wp), rank(wp)
  if f == 1 or f == 8 then return end
  local ahead, beside = rank(wk) - r, math.abs(file(wk) - f)
  if beside > 1 or not (ahead == 2 or (ahead == 1 and r >= 5)) then return end
  return turn == "white" and "win" or "loss", "king on a key square"
end
