-- Cochrane's defence (Cochrane, 19th century; in this form de la Villa 2008): rook and bishop against rook. The rook
-- pins the bishop to its king on one of the four middle files or ranks, and at least two ranks or files are between
-- the kings. Then the side with the bishop does not win.
--
-- On trial: KRBvKR

local function middle(n) return n >= 3 and n <= 6 end

-- Whether the rook pins the bishop along a line: `along` gives the coordinate on the line, `across` that of the line.
local function pinned(along, across)
  local line, king, bishop, rook = across(wk), along(wk), along(wb), along(br)
  if across(wb) ~= line or across(br) ~= line or not middle(line) then return false end
  if (bishop - king) * (rook - bishop) <= 0 then return false end
  for _, man in ipairs { wr, bk } do
    local at = along(man)
    if across(man) == line and at > math.min(king, rook) and at < math.max(king, rook) then return false end
  end
  return math.abs(along(bk) - king) >= 3
end

return function()
  if pinned(rank, file) or pinned(file, rank) then
    return turn == "white" and "not win" or "not loss", turn == "white" and "White to move" or "Black to move"
  end
end
