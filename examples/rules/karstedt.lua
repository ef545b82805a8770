-- Karstedt's fortress (Karstedt 1903; in any book on endings): queen against bishop and knight. The bishop is next to
-- the corner on its diagonal. Its king is in this corner, or next to the corner and the bishop. The knight is two
-- squares from the bishop on the diagonal, as Kg8 Bg7 Ne5, and the other king cannot come near. Then the queen does
-- not win.
--
-- On trial: KBNvKQ

local lib = use("lib")

return function()
  for corner = 1, 4 do
    local bf, br = lib.from_corner(wb, corner)
    local nf, nr = lib.from_corner(wn, corner)
    local kf, kr = lib.from_corner(wk, corner)
    if bf == 1 and br == 1 and nf == 3 and nr == 3 and kf <= 1 and kr <= 1 then
      return turn == "white" and "not loss" or "not win", turn == "white" and "minor pieces to move" or "queen to move"
    end
  end
end
