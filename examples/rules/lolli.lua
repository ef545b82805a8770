-- Lolli's fortress (Lolli 1763; in any book on endings): queen against two bishops. The king is next to the corner on
-- its diagonal. One bishop is in front of the king on the diagonal, the other next to this bishop and in front of the
-- king, as Kg7 Bf6 Bg6. Then the queen does not win.
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
