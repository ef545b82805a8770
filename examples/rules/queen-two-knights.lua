-- Queen against two knights (in any book on endings): two knights hold if they are near their king. Here, near means
-- that the knights stand next to each other and both next to the king.
--
-- On trial: KNNvKQ

return function()
  local knights = squares("wn")
  local a, b = knights[1], knights[2]
  if distance(a, b) > 1 or distance(a, wk) > 1 or distance(b, wk) > 1 then return end
  return turn == "white" and "not loss" or "not win", turn == "white" and "knights to move" or "queen to move"
end
