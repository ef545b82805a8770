-- The fortress of the bishop (in any book on endings): rook against bishop. A king in or next to a corner that its
-- bishop does not attack does not lose, if the bishop is at most three squares away. In the other corners it loses.
--
-- On trial: KRvKB

local corners = { "a1", "a8", "h1", "h8" }

return function()
  for _, corner in ipairs(corners) do
    if distance(bk, corner) <= 1 and distance(bb, corner) <= 3 then
      if light(bb) ~= light(corner) then return turn == "white" and "not win" or "not loss", "the safe corner" end
      if bk == corner and distance(wk, corner) <= 2 then
        return turn == "white" and "win" or "loss", "the wrong corner, the kings close"
      end
    end
  end
end
