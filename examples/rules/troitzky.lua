-- Troitzky's line (Troitzky 1906-10): two knights against a pawn. One knight blocks the pawn, and the pawn is not
-- beyond a4, b6, c5, d4, e4, f5, g6 or h4 (for a black pawn). Then the knights win, wherever the kings are.
--
-- On trial: KNNvKP

local line = { 4, 6, 5, 4, 4, 5, 6, 4 }

return function()
  local f, r = file(bp), rank(bp)
  if r < line[f] then return end
  for _, knight in ipairs(squares("wn")) do
    if file(knight) == f and rank(knight) == r - 1 then
      return turn == "white" and "win" or "loss", "blocked on Troitzky's line or before it"
    end
  end
end
