// A game: a tree of moves, and the place in it that is on the board. No DOM, no server.
//
// A game is {start, moves, at}. `start` is a FEN. `moves` is a list of {uci, san, fen, parent} with the FEN after each
// move, and `advice` if a strategy made it. A move is known by its number in the list, from 1; 0 is the start. `parent`
// is the number of the move before it. The first move after a parent is the main one, the others begin variations.
// Moves are added at the end, so numbers stay as they are. `at` is the number of the last move made on the board.
// A pasted game has `tags`, `result` and `main`, the number of its own moves. Games are values: functions return new
// ones.

export const newGame = (start) => ({ start, moves: [], at: 0 });

/** A game without variations, as the server reads it. */
export const gameOf = ({ start, moves, tags, result }) => ({
    start,
    moves: moves.map((move, index) => ({ ...move, parent: index })),
    at: 0,
    main: moves.length,
    tags,
    result,
});

/** Whether a value, such as an entry of the browser's history, is a game of this form. */
export const isGame = (value) =>
    typeof value?.start === "string" &&
    Array.isArray(value.moves) &&
    value.moves.every(({ parent, fen }, index) => parent >= 0 && parent <= index && typeof fen === "string") &&
    value.at >= 0 &&
    value.at <= value.moves.length;

export const fenAt = (game, at) => (at === 0 ? game.start : game.moves[at - 1].fen);
export const currentFen = (game) => fenAt(game, game.at);
export const lastMove = (game) => (game.at === 0 ? null : game.moves[game.at - 1]);
export const parentOf = (game, at) => (at === 0 ? 0 : game.moves[at - 1].parent);

/** The numbers of the moves after a move, the main one first. */
export function after(game, at) {
    const found = [];
    for (let index = at; index < game.moves.length; index++) if (game.moves[index].parent === at) found.push(index + 1);
    return found;
}

/** The next move of the main line from here; 0 if there is none. */
export const nextOf = (game, at = game.at) => after(game, at)[0] ?? 0;

/** The last move of the main line from here. */
export function endOf(game, at = game.at) {
    let end = at;
    for (let next = nextOf(game, end); next; next = nextOf(game, end)) end = next;
    return end;
}

/** The numbers of the moves from the start to a move. */
export function pathTo(game, at = game.at) {
    const path = [];
    for (let step = at; step !== 0; step = parentOf(game, step)) path.unshift(step);
    return path;
}

export const goTo = (game, at) => ({ ...game, at: Math.max(0, Math.min(game.moves.length, at)) });

/** Plays a move: a new one, or one that was played here before. */
export function play(game, { uci, san, fen, advice }) {
    const known = after(game, game.at).find((number) => game.moves[number - 1].uci === uci);
    if (known) return goTo(game, known);
    const move = { uci, san, fen, parent: game.at, ...(advice && { advice }) };
    return { ...game, moves: [...game.moves, move], at: game.moves.length + 1 };
}

/** Where the line on the board leaves the pasted game, or else the main line: the number of the last move of that. It is
 * the current move if the line does not leave it. */
export function branchOf(game) {
    let at = 0;
    for (const step of pathTo(game)) {
        if (game.main === undefined ? nextOf(game, at) !== step : step > game.main) break;
        at = step;
    }
    return at;
}

/** The game without the variation on the board; the place is where that began. */
export function withoutVariation(game) {
    const branch = branchOf(game);
    if (branch === game.at) return game;
    const first = pathTo(game).find((step) => step > 0 && parentOf(game, step) === branch);
    const numbers = [0]; // new numbers of the moves that stay, by old number
    const moves = [];
    game.moves.forEach((move, index) => {
        const stays = index + 1 !== first && numbers[move.parent] !== null;
        if (stays) moves.push({ ...move, parent: numbers[move.parent] });
        numbers.push(stays ? moves.length : null);
    });
    return { ...game, moves, at: numbers[branch] };
}

/** A game of the browser's history. If it is an earlier state of the game `now`, the moves made since stay. */
export function recalled(now, before) {
    const same =
        before.start === now.start &&
        before.moves.length <= now.moves.length &&
        before.moves.every(({ uci, parent }, index) => uci === now.moves[index].uci && parent === now.moves[index].parent);
    return same ? goTo(now, before.at) : before;
}

/**
 * The moves in the order in which they are written: {number, white, move, at, fresh} for a move, "(" and ")" around a
 * variation, which follows the move that it replaces. `fresh`: Black's move needs its number, as it begins a line or
 * goes on after a variation.
 */
export function written(game) {
    const next = [[]];
    game.moves.forEach(({ parent }, index) => {
        next.push([]);
        next[parent].push(index + 1);
    });
    const out = [];
    const line = (first, others) => {
        let fresh = true;
        for (let at = first, aside = others; at; [at, ...aside] = next[at]) {
            const [, turn, , , , number] = fenAt(game, parentOf(game, at)).split(" ");
            out.push({ number: Number(number) || 1, white: turn === "w", move: game.moves[at - 1], at, fresh });
            for (const other of aside) {
                out.push("(");
                line(other, []);
                out.push(")");
            }
            fresh = aside.length > 0;
        }
    };
    const [first, ...others] = next[0];
    line(first, others);
    return out;
}
