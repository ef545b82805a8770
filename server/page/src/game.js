// A game: a start position, the moves played from it, and the current place in them. No DOM, no server.
//
// A game is {start, moves, at}. `start` is a FEN. `moves` is [{uci, san, fen}] with the FEN after each move, and
// `advice` if a strategy made it. `at` is the number of moves made on the board. A pasted game has `tags` and `result`
// too. Games are values: functions return new ones.

export const newGame = (start) => ({ start, moves: [], at: 0 });
export const currentFen = (game) => (game.at === 0 ? game.start : game.moves[game.at - 1].fen);
export const lastMove = (game) => (game.at === 0 ? null : game.moves[game.at - 1]);

/** Plays a move. Drops the moves after this point, unless the next one is the same move. */
export function play(game, { uci, san, fen, advice }) {
    const next = game.moves[game.at];
    if (next && next.uci === uci) return { ...game, at: game.at + 1 };
    const moves = [...game.moves.slice(0, game.at), advice ? { uci, san, fen, advice } : { uci, san, fen }];
    return { ...game, moves, at: game.at + 1, result: undefined };
}

export const goTo = (game, at) => ({ ...game, at: Math.max(0, Math.min(game.moves.length, at)) });

/** Moves with their numbers: [{number, white, black}], an entry being {san, index} or null. */
export function numbered(start, moves, offset = 0) {
    const fields = start.split(" ");
    let turn = fields[1];
    let number = Number(fields[5]) || 1;
    const rows = [];
    moves.forEach((move, index) => {
        const cell = { ...move, index: index + offset };
        if (turn === "w") rows.push({ number, white: cell, black: null });
        else if (rows.length > 0) rows[rows.length - 1].black = cell;
        else rows.push({ number, white: null, black: cell });
        if (turn === "b") number++;
        turn = turn === "w" ? "b" : "w";
    });
    return rows;
}
