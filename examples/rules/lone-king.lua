-- A bare king cannot win: nobody can be mated by a king alone.
--
-- On trial: KPvK KBNvK KQvKR

local function alone(color)
  local c = color == "white" and "w" or "b"
  for _, kind in ipairs { "q", "r", "b", "n", "p" } do
    if squares(c .. kind)[1] then return false end
  end
  return true
end

return function()
  if alone(turn) then return "not win", "a king alone" end
  if alone(turn == "white" and "black" or "white") then return "not loss", "against a king alone" end
end
