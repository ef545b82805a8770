-- The opposition (in any book on endings): the king is one rank in front of its pawn, which is not a rook's pawn and
-- not beyond the fourth rank. The other king is two ranks in front of this king on the same file. Then the side to
-- move gets the worse result.
--
-- On trial: KPvK

return function()
  local f, r = file(wp), rank(wp)
  if f == 1 or f == 8 or r > 4 or file(wk) ~= f or rank(wk) ~= r + 1 then return end
  if file(bk) ~= f or rank(bk) ~= r + 3 then return end
  if turn == "white" then return "draw", "White has to give way" end
  return "loss", "Black has to give way"
end
