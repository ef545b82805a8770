-- bench_positions.lua - makes wrk request random positions of king and rook against king and pawn.
local function letters(used)
    local rows = {}
    for rank = 7, 0, -1 do
        local row, empty = '', 0
        for file = 0, 7 do
            local man = used[8 * rank + file]
            if man then
                row = row .. (empty > 0 and empty or '') .. man
                empty = 0
            else
                empty = empty + 1
            end
        end
        rows[#rows + 1] = row .. (empty > 0 and empty or '')
    end
    return table.concat(rows, '/')
end

local function position()
    local used = {}
    local function put(man, least, most)
        local square
        repeat square = math.random(least, most) until not used[square]
        used[square] = man
        return square
    end
    -- The kings are far apart and the side with the rook is to move, so nearly all positions are legal.
    put('K', 0, 15)
    put('k', 40, 63)
    put('R', 0, 63)
    put('p', 8, 55)
    return letters(used) .. '_b_-_-_0_1'
end

local number = 0
function setup(thread)
    number = number + 1
    thread:set('seed', number)
end

function init()
    math.randomseed(seed)
end

function request()
    return wrk.format('GET', '/standard?fen=' .. position())
end
