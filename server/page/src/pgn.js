// Writes a game as PGN. No DOM, no server.

import { after, endOf, goTo, lastMove, parentOf, play, written } from "./game.js";

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

/** The words of a game: "12.", "Kd5", ... `note` stands after the move with the number `at`, or before the first. */
function moveWords(game, at, note) {
    const words = at === 0 ? [...note] : [];
    let open = "";
    let noted = true; // Black's next move gets its number
    for (const token of written(game)) {
        if (token === "(") open = "(";
        else if (token === ")") words.push(`${words.pop()})`);
        else {
            const { number, white, move, fresh } = token;
            if (white || fresh || noted) words.push(`${open}${number}${white ? "." : "..."}`);
            const nag = { blunder: "$4", cursed: "$2", dubious: "$6" }[move.judgement];
            words.push(move.san, ...(nag ? [nag] : []));
            open = "";
            noted = token.at === at && note.length > 0;
            if (noted) words.push(...note);
        }
    }
    return words;
}

/**
 * The game with best play from the position on the board as a variation. At the end of a line the variation begins
 * with the last move again, as a variation must replace a move. Without moves, best play is the game itself.
 */
function withBest(game, best) {
    let way = game;
    for (const move of best) {
        const grown = play(way, move);
        const repeats = grown.moves.length > game.moves.length && way.moves.length === game.moves.length && way.at > 0;
        if (repeats && after(way, way.at).length === 0) {
            const again = { ...lastMove(way), parent: parentOf(way, way.at) };
            way = play({ ...way, moves: [...way.moves, again], at: way.moves.length + 1 }, move);
        } else way = grown;
    }
    return { ...way, at: game.at };
}

/**
 * A game as PGN, with its variations. `best` is best play from the position on the board; `comment` is the verdict of
 * that position; `result` is one of 1-0, 0-1, 1/2-1/2, *.
 */
export function writePgn({ game, best = [], comment = "", result = "*", site = "", date = new Date() }) {
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
    const known = game.tags ?? {};
    const tags = [
        tag("Event", known.Event ?? "Endgame study"),
        tag("Site", known.Site ?? (site || "?")),
        tag("Date", known.Date ?? day.join(".")),
        tag("Round", known.Round ?? "-"),
        tag("White", known.White ?? "?"),
        tag("Black", known.Black ?? "?"),
        tag("Result", result),
        tag("SetUp", "1"),
        tag("FEN", game.start),
        tag("Annotator", "Trebuchet"),
    ];
    const note = comment ? `{ ${comment.replace(/[{}]/g, "")} }`.split(" ") : [];
    const words = [...moveWords(withBest(game, best), game.at, note), result];
    return `${tags.join("\n")}\n\n${wrap(words, 80)}\n`;
}

/** The result of the main line as far as it was played; `probe` is what is known of its last position, or null. */
export function resultOf(game, probe) {
    const last = lastMove(goTo(game, endOf(game, 0)));
    if (last && last.san.endsWith("#")) return last.fen.split(" ")[1] === "w" ? "0-1" : "1-0";
    if (probe && probe.state === "checkmate") return probe.turn === "white" ? "0-1" : "1-0";
    if (probe && (probe.state === "stalemate" || probe.state === "insufficient_material")) return "1/2-1/2";
    return "*";
}
