-- King and pawn against king: a set of rules without exceptions. Eight rules are for positions with Black to move:
-- rules about the square of the pawn, the race to the key squares, and positions in which neither side makes
-- progress. If no rule applies, or with White to move, the program looks ahead until a rule applies, up to eleven
-- moves.
--
-- Bramer (1977) and Beal and Clarke (1980) had the idea that a small set of rules can be right in all positions. A
-- search through the table found these rules. Without the rule of the race, the program would have to look ahead
-- sixteen moves. Without any of the others, it would be wrong or silent in some positions.
--
-- On trial: KPvK

local abs, max, min = math.abs, math.max, math.min

-- Squares are 0 (a1) to 63; the pawn is on files a to d.
local function file_of(s) return s % 8 + 1 end
local function rank_of(s) return s // 8 + 1 end
local function moves(a, b) return max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) end

local near = {} -- for each square, the squares that a king reaches from it
for s = 0, 63 do
  near[s] = {}
  for t = 0, 63 do
    if moves(s, t) == 1 then table.insert(near[s], t) end
  end
end

-- Squares on which White's king makes sure that the pawn promotes.
local key_squares = {}
for pawn = 8, 55 do
  local f, r, list = file_of(pawn), rank_of(pawn), {}
  for s = 0, 63 do
    local ahead, beside = rank_of(s) - r, abs(file_of(s) - f)
    local key = beside <= 1 and (ahead == 2 or ahead == 1 and r >= 5)
    if f == 1 then key = s == 49 or s == 57 end -- b7, b8
    if key then table.insert(list, s) end
  end
  key_squares[pawn] = list
end

-- Returns by how many moves White's king is nearer to a key square than Black's, at best, and the distance of each king
-- to its nearest key square.
local function race(pawn, white, black)
  local lead, whites, blacks = -9, 9, 9
  for _, s in ipairs(key_squares[pawn]) do
    local w, b = moves(white, s), moves(black, s)
    lead, whites, blacks = max(lead, b - w), min(whites, w), min(blacks, b)
  end
  return lead, whites, blacks
end

-- Black to move: returns whether White wins, and why. Returns nil if no rule applies.
local function rules(pawn, white, black)
  local f, r = file_of(pawn), rank_of(pawn)
  local goal = 56 + f - 1
  local to_pawn, white_to_pawn = moves(black, pawn), moves(white, pawn)
  if to_pawn == 1 and white_to_pawn > 1 then return false, "takes the pawn" end

  -- The number of moves that Black's king can lose and still catch the pawn.
  local spare = (r == 2 and 5 or 8 - r) + 1 - moves(black, goal)
  if spare < 0 and not (file_of(white) == f and white > pawn) then return true, "outside the square" end

  local lead, whites, blacks = race(pawn, white, black)
  local apart = abs(file_of(black) - file_of(white))
  if f == 1 then
    if moves(white, 57) > moves(black, 57) and whites >= 2 then return false, "nearer to b8" end
    if spare >= 1 and abs(file_of(black) - f) <= 3 and file_of(white) == f then return false, "shut in" end
    return
  end
  local left = moves(white, goal)
  if lead <= -1 and left >= 3 then return false, "nearer to all key squares" end
  if spare >= 4 and lead <= 1 and apart == 1 then return false, "beside the other king" end
  if apart == 1 and left == 5 and blacks <= 2 then return false, "near a key square" end
  if lead >= 2 and to_pawn >= white_to_pawn and (apart >= 3 or rank_of(white) >= r and to_pawn >= 3) then
    return true, "nearer to a key square by two moves"
  end
end

local wins

-- Results by position. They depend only on the squares. A number is the depth that was searched without a result.
local kept = {}

-- Black to move: returns whether White wins (nil: not known at this depth), and why.
local function loses(pawn, white, black, depth)
  local key = pawn << 12 | white << 6 | black
  local known = kept[key]
  if known == nil then
    local result, why = rules(pawn, white, black)
    known = result ~= nil and { result, why } or 0
    kept[key] = known
  end
  if type(known) == "table" then return known[1], known[2] end
  if known >= depth then return end
  local result, any = true, false
  for _, to in ipairs(near[black]) do
    local guarded = to // 8 == pawn // 8 + 1 and abs(to % 8 - pawn % 8) == 1
    if moves(to, white) > 1 and not guarded then
      any = true
      local won = to ~= pawn and wins(pawn, white, to, depth - 1)
      if won == false then result = false break end
      if won == nil then result = nil end
    end
  end
  if not any then result = black // 8 == pawn // 8 + 1 and abs(black % 8 - pawn % 8) == 1 end -- in check?
  kept[key] = result ~= nil and { result, "looking ahead" } or depth
  if result ~= nil then return result, "looking ahead" end
end

-- White to move: returns whether White wins (nil: not known at this depth).
function wins(pawn, white, black, depth)
  local result = false
  local function try(p, w)
    local won = loses(p, w, black, depth)
    if won then result = true elseif won == nil and not result then result = nil end
    return won
  end
  local step = pawn + 8
  if step ~= white and step ~= black then
    if step >= 56 then
      if moves(black, step) > 1 or moves(white, step) == 1 then return true end
    else
      if try(step, white) then return true end
      if pawn < 16 and step + 8 ~= white and step + 8 ~= black and try(step + 8, white) then return true end
    end
  end
  for _, to in ipairs(near[white]) do
    if to ~= pawn and moves(to, black) > 1 and try(pawn, to) then return true end
  end
  return result
end

local function number(square, mirrored)
  local f = mirrored and 9 - file(square) or file(square)
  return 8 * (rank(square) - 1) + f - 1
end

return function()
  local mirrored = file(wp) > 4
  local pawn, white, black = number(wp, mirrored), number(wk, mirrored), number(bk, mirrored)
  for depth = 0, 11 do
    if turn == "white" then
      local won = wins(pawn, white, black, depth)
      if won ~= nil then return won and "win" or "draw", won and "White has a winning move" or "White has none" end
    else
      local lost, why = loses(pawn, white, black, depth)
      if lost ~= nil then return lost and "loss" or "draw", why end
    end
  end
end
