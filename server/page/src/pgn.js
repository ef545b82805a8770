// Writes a game as PGN. No DOM, no server.

import { numbered } from "./game.js";

const tag = (name, value) => `[${name} "${String(value).replace(/[\\"]/g, "\\$&")}"]`;

function wrap(words, width) {
    const lines = [""];
    for (const word of words) {
        const last = lines[lines.length - 1];
        if (last === "") lines[lines.length - 1] = word;
        else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
    }
    return lines.join("\n");
}

/**
 * The words of some moves: "12.", "Kd5", ... `start` is the FEN before the first of them. `after(index)` returns words
 * to put after a move; if there are any, Black's next move gets its number again.
 */
function moveWords(start, moves, after = () => []) {
    const words = [];
    let numberless = true; // the next move needs its number even if it is Black's
    const put = (cell, number, dots) => {
        if (!cell) return;
        if (dots === "." || numberless) words.push(`${number}${dots}`);
        const more = after(cell.index);
        const nag = { blunder: "$4", cursed: "$2", dubious: "$6" }[cell.judgement];
        words.push(cell.san, ...(nag ? [nag] : []), ...more);
        numberless = more.length > 0;
    };
    for (const { number, white, black } of numbered(start, moves)) {
        put(white, number, ".");
        put(black, number, "...");
    }
    return words;
}

/**
 * Best play from a point of the game, as a variation. It begins at the first move that differs from the game; at the
 * end of the game it begins with the last move again, as a variation must replace a move.
 */
function variation(start, played, at, best) {
    let from = at;
    while (from < played.length && best[from - at]?.uci === played[from].uci) from++;
    const rest = best.slice(from - at);
    if (rest.length === 0) return { index: -1, words: [] };
    const moves = from === played.length ? [played[--from], ...rest] : rest;
    const before = from === 0 ? start : played[from - 1].fen;
    const words = moveWords(before, moves);
    words[0] = `(${words[0]}`;
    words.push(`${words.pop()})`);
    return { index: from, words };
}

/**
 * A game as PGN. `played` are its moves, and `at` is the number of them made on the board. `best` is best play from
 * there, written as a variation or, if no move was played, as the game itself. `comment` is the verdict of the position on the
 * board; `result` is one of 1-0, 0-1, 1/2-1/2, *; `tags` are those of a pasted game.
 */
export function writePgn({
    start,
    played,
    at = played.length,
    best = [],
    comment = "",
    result = "*",
    site = "",
    date = new Date(),
    tags: known = {},
}) {
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) =>
        String(part).padStart(2, "0"),
    );
    const tags = [
        tag("Event", known.Event ?? "Endgame study"),
        tag("Site", known.Site ?? (site || "?")),
        tag("Date", known.Date ?? day.join(".")),
        tag("Round", known.Round ?? "-"),
        tag("White", known.White ?? "?"),
        tag("Black", known.Black ?? "?"),
        tag("Result", result),
        tag("SetUp", "1"),
        tag("FEN", start),
        tag("Annotator", "Trebuchet"),
    ];
    const note = comment ? `{ ${comment.replace(/[{}]/g, "")} }`.split(" ") : [];
    const aside =
        best.length > 0 && played.length > 0 ? variation(start, played, at, best) : { index: -1, words: [] };
    const after = (index) => [
        ...(index === at - 1 ? note : []),
        ...(index === aside.index ? aside.words : []),
    ];
    const words = at === 0 ? [...note] : [];
    words.push(...moveWords(start, played.length > 0 ? played : best, after), result);
    return `${tags.join("\n")}\n\n${wrap(words, 80)}\n`;
}

/** The result of a game as far as it was played; `probe` is what is known of its last position, or null. */
export function resultOf(moves, probe) {
    const last = moves.length > 0 ? moves[moves.length - 1] : null;
    if (last && last.san.endsWith("#")) return last.fen.split(" ")[1] === "w" ? "0-1" : "1-0";
    if (probe && probe.state === "checkmate") return probe.turn === "white" ? "0-1" : "1-0";
    if (probe && (probe.state === "stalemate" || probe.state === "insufficient_material")) return "1/2-1/2";
    return "*";
}
