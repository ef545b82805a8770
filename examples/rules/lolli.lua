-- Lolli's fortress (Lolli 1763; in any book on endings): queen against two bishops. King beside the corner on its diagonal,
-- the bishops before it, diagonally and beside that, as Kg7 Bf6 Bg6: the queen does not win.
--
-- On trial: KBBvKQ

local lib = use("lib")

return function()
  for corner = 1, 4 do
    local kf, kr = lib.from_corner(wk, corner)
    if kf == 1 and kr == 1 then
      local at = {}
      for _, bishop in ipairs(squares("wb")) do
        local f, r = lib.from_corner(bishop, corner)
        at[10 * f + r] = true
      end
      if at[22] and (at[12] or at[21]) then
        return turn == "white" and "not loss" or "not win", turn == "white" and "bishops to move" or "queen to move"
      end
    end
  end
end
