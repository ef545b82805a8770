-- PIONEER's second sufficient criterion (Botvinnik and others, 1983): each side has a pawn. The side (+) has the pawn
-- P+. The other king is in the square of P+. The king of (+) is not farther from P+, nor from the promotion rank of
-- P+, than the other king. The other pawn is not on the files from the king of (+) to P+. Neither P+ nor its king is
-- on a rook's or knight's file. Then (+) has at least a draw:
--
--   (a) if P+ queens one ply before the other pawn;
--   (b) if P+ queens one ply after it, unless the other pawn queens with check or the new queen is lost to a check.
--
-- The pawns run without other moves, so the kings still stand where they are. A check wins the queen if it comes from
-- behind the king, if the checking queen cannot be captured, and if no move of the king protects its queen. A queen
-- that attacks another queen in any other way can be captured by it.
--
-- On trial: KPvKP

local lib = use("lib")

local function central(square) return file(square) > 2 and file(square) < 7 end

local function square_at(f, r) return string.char(96 + f) .. r end

-- Returns the direction of a queen's line from one square to another, and the number of steps; nil if there is none.
local function line(from, to)
  local files, ranks = file(to) - file(from), rank(to) - rank(from)
  local steps = math.max(math.abs(files), math.abs(ranks))
  if steps == 0 or files ~= 0 and ranks ~= 0 and math.abs(files) ~= math.abs(ranks) then return end
  return files // steps, ranks // steps, steps
end

-- Whether a queen on one square attacks another; `men` are the squares that block it.
local function sees(from, to, men)
  local files, ranks, steps = line(from, to)
  for i = 1, files and steps - 1 or 0 do
    if men[square_at(file(from) + i * files, rank(from) + i * ranks)] then return false end
  end
  return files ~= nil
end

-- Whether a king that a queen checks has a move that protects its own queen.
local function can_protect(king, other_king, queen, from)
  local men = {[other_king] = true, [queen] = true}
  for f = math.max(1, file(king) - 1), math.min(8, file(king) + 1) do
    for r = math.max(1, rank(king) - 1), math.min(8, rank(king) + 1) do
      local to = square_at(f, r)
      if to ~= king and to ~= queen and distance(to, queen) == 1 and distance(to, other_king) > 1
        and not sees(from, to, men) then
        return true
      end
    end
  end
end

-- Whether the other queen, to move, can win a queen by a check from behind the king.
local function lost_to_check(king, other_king, queen, other_queen)
  local men = {[king] = true, [other_king] = true, [queen] = true}
  if not sees(queen, king, men) then return false end
  local files, ranks = line(queen, king)
  local f, r = file(king) + files, rank(king) + ranks
  while f >= 1 and f <= 8 and r >= 1 and r <= 8 do
    local from = square_at(f, r)
    if from == other_king then return false end
    local safe = distance(from, king) > 1 or distance(from, other_king) == 1
    if safe and sees(other_queen, from, men) and not can_protect(king, other_king, queen, from) then return true end
    f, r = f + files, r + ranks
  end
  return false
end

-- Plies that a king needs to the rank on which a side promotes.
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
  if ahead ~= -1 then return end
  local other_king = lib.man(minus, "k")
  local queen, other_queen = lib.promotion(pawn, plus), lib.promotion(enemy, minus)
  local before = square_at(file(queen), plus == "white" and 7 or 2) -- the square of P+ when the other pawn queens
  if sees(other_queen, king, {[other_king] = true, [before] = true}) then return end
  if lost_to_check(king, other_king, queen, other_queen) then return end
  return "(b) queens a ply after"
end

return function()
  local white, black = holds("white"), holds("black")
  if white and black then return "draw", "both sides hold" end
  if white then return turn == "white" and "not loss" or "not win", white end
  if black then return turn == "black" and "not loss" or "not win", black end
end
