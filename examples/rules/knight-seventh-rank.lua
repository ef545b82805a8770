-- Knight and rook's pawn (in any book on endings): a pawn on the seventh rank that only the knight protects does not
-- win against a king in the corner in front of it or next to this corner. If the pawn is farther back, it wins.
--
-- On trial: KNPvK

return function()
  local f, r = file(wp), rank(wp)
  if f ~= 1 and f ~= 8 then return end
  local corner = f == 1 and "a8" or "h8"
  if distance(bk, corner) > 1 or distance(wk, wp) == 1 then return end
  local files, ranks = math.abs(file(wn) - f), math.abs(rank(wn) - r)
  if files * ranks ~= 2 then return end
  if r == 7 then return "draw", "on the seventh rank" end
  if rank(wn) < r then return turn == "white" and "win" or "loss", "guarded from behind, further back" end
end
