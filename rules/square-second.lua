-- PIONEER's second sufficient criterion (Botvinnik and others, 1983): a pawn each, (+) the side with the pawn P+. The
-- other king is in the square of P+; the king of (+) is not farther than it from P+ and from the promotion rank of P+; the
-- other pawn is not on the files from that king to P+; neither P+ nor its king is on a rook's or knight's file. Then
-- (+) has at least a draw (a) if P+ queens one ply before the other pawn; (b) if it queens one ply after it, unless that
-- one queens with check, or the new queen is lost to a fork check (here (b) is left out if the other pawn's promotion
-- square is in line with the king, or next to it; the fork is not looked at).
--
-- On trial: KPvKP

local lib = use("lib")

local function central(square) return file(square) > 2 and file(square) < 7 end

local function in_line(a, b)
  local files, ranks = math.abs(file(a) - file(b)), math.abs(rank(a) - rank(b))
  return files == 0 or ranks == 0 or files == ranks
end

-- Plies of a king to the rank on which a side promotes.
local function to_rank(king_of, color)
  local king = lib.man(king_of, "k")
  local moves = color == "white" and 8 - rank(king) or rank(king) - 1
  return moves == 0 and 0 or 2 * moves - (turn == king_of and 1 or 0)
end

local function holds(plus)
  local minus = lib.other(plus)
  local pawn, king, enemy = lib.man(plus, "p"), lib.man(plus, "k"), lib.man(minus, "p")
  if not lib.in_square(pawn, plus) or not central(pawn) or not central(king) then return end
  if lib.plies(plus, pawn) > lib.plies(minus, pawn) or to_rank(plus, plus) > to_rank(minus, plus) then return end
  local low, high = math.min(file(king), file(pawn)), math.max(file(king), file(pawn))
  if file(enemy) >= low and file(enemy) <= high then return end
  local ahead = lib.run(enemy, minus) - lib.run(pawn, plus)
  if ahead == 1 then return "(a) queens a ply before" end
  if ahead == -1 and not in_line(lib.promotion(enemy, minus), king) then return "(b) queens a ply after" end
end

return function()
  local white, black = holds("white"), holds("black")
  if white and black then return "draw", "both sides hold" end
  if white then return turn == "white" and "not loss" or "not win", white end
  if black then return turn == "black" and "not loss" or "not win", black end
end
