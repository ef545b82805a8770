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

/** The words of a run of moves: "12.", "Kd5", ...; `start` is the FEN before the first of them. */
function moveWords(start, moves) {
    const words = [];
    for (const { number, white, black } of numbered(start, moves)) {
        words.push(white ? `${number}.` : `${number}...`);
        if (white) words.push(white.san);
        if (black) words.push(black.san);
    }
    return words;
}

/**
 * A game as PGN. `played` are its moves, `best` what the tables would go on with, told apart by a
 * comment; `comment` is the verdict; `result` one of 1-0, 0-1, 1/2-1/2, *.
 */
export function writePgn({
    start,
    played,
    best = [],
    comment = "",
    result = "*",
    site = "",
    date = new Date(),
}) {
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) =>
        String(part).padStart(2, "0"),
    );
    const tags = [
        tag("Event", "Endgame study"),
        tag("Site", site || "?"),
        tag("Date", day.join(".")),
        tag("Round", "-"),
        tag("White", "?"),
        tag("Black", "?"),
        tag("Result", result),
        tag("SetUp", "1"),
        tag("FEN", start),
        tag("Annotator", "Trebuchet"),
    ];
    const words = moveWords(start, played);
    const between = played.length > 0 ? played[played.length - 1].fen : start;
    if (comment) words.push(...`{ ${comment.replace(/[{}]/g, "")} }`.split(" "));
    words.push(...moveWords(between, best), result);
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
