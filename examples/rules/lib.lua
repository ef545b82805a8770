-- Functions for rules: distances in plies, and pawns as seen from their own side. `local lib = use("lib")`

local lib = {}

function lib.other(color) return color == "white" and "black" or "white" end

-- The square of a side's first man of a kind: lib.man("white", "p") is wp.
function lib.man(color, kind) return squares((color == "white" and "w" or "b") .. kind)[1] end

-- The square on which a pawn promotes.
function lib.promotion(pawn, color) return pawn:sub(1, 1) .. (color == "white" and "8" or "1") end

-- The number of moves that a pawn needs to promote.
function lib.steps(pawn, color)
  local left = color == "white" and 8 - rank(pawn) or rank(pawn) - 1
  return left == 6 and 5 or left
end

-- Plies until a side's king can be on a square of an empty board. The other side's moves count, and the result
-- depends on who is to move.
function lib.plies(color, square)
  local moves = distance(lib.man(color, "k"), square)
  return moves == 0 and 0 or 2 * moves - (turn == color and 1 or 0)
end

-- Plies until a pawn has promoted, if nothing stops it.
function lib.run(pawn, color) return 2 * lib.steps(pawn, color) - (turn == color and 1 or 0) end

-- Whether the king of the other side is in the square of a pawn: on an empty board it catches the pawn, at the latest
-- by capturing on the promotion square one ply after the promotion.
function lib.in_square(pawn, color)
  return lib.plies(lib.other(color), lib.promotion(pawn, color)) <= lib.run(pawn, color) + 1
end

-- Returns how many files and ranks a square is away from a corner, 1 to 4 (a1, h1, a8, h8).
function lib.from_corner(square, corner)
  local f, r = file(square) - 1, rank(square) - 1
  return corner % 2 == 1 and f or 7 - f, corner <= 2 and r or 7 - r
end

return lib
