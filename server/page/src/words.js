// What the numbers of the server mean, in words for a player. No DOM, no server.

import { ranksNote } from "./ranks.js";

const SIDE = { white: "White", black: "Black" };
export const other = (side) => (side === "white" ? "black" : "white");
export const sideName = (side) => SIDE[side];

/** What the server says, as a sentence of the page: it begins large and ends with a full stop. Moves stay as they are. */
export const sentence = (text) =>
    text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/[^.!?]$/, "$&.");

/** Plies of a distance as moves: the side to move counts its own, and half a move counts as one. */
export const movesOf = (plies) => Math.ceil(plies / 2);
export const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
export const inMoves = (plies) => plural(movesOf(plies), "move");

export const METRICS = {
    dtm: { name: "Mate", long: "distance to mate", key: "dtm_plies" },
    dtc: { name: "Conversion", long: "distance to mate, capture or promotion", key: "dtc_plies" },
    dtz: { name: "Zeroing", long: "distance to mate, capture or pawn move", key: "dtz_plies" },
};

/** "33 plies" of a position or move, "33 or 34 plies" where a Syzygy file is rounded. */
export function pliesWords(value, metric) {
    const plies = value[METRICS[metric].key];
    const rounded = metric === "dtz" && value.dtz_rounded;
    return rounded ? `${plies} or ${plies + 1} plies` : `${plies} plies`;
}

/** Who would win without the 50-move rule, "white", "black" or null, from a verdict for `turn`. */
export function winnerOf(verdict, turn) {
    if (verdict === "win" || verdict === "cursed_win") return turn;
    if (verdict === "loss" || verdict === "blessed_loss") return other(turn);
    return null;
}

/** The verdict in one sentence, and its tone: white, black, cursed or draw. */
export function verdictSentence(probe) {
    const { state, turn, verdict } = probe;
    if (state === "checkmate") return { text: `Checkmate. ${SIDE[other(turn)]} wins.`, tone: other(turn) };
    if (state === "stalemate") return { text: "Stalemate. It is a draw.", tone: "draw" };
    if (state === "insufficient_material") return { text: "Draw: too few men to mate.", tone: "draw" };
    const winner = winnerOf(verdict, turn);
    if (verdict === "draw") return { text: "Draw", tone: "draw" };
    if (verdict === null && probe.solved) return { text: "Open", tone: "draw" };
    if (!winner && probe.verdict_clock_zero === null) return { text: "Not known", tone: "draw" };
    if (!winner) return { text: "It depends on the 50-move rule", tone: "draw" };
    if (verdict === "cursed_win" || verdict === "blessed_loss")
        return { text: `Won, but the 50-move rule saves ${SIDE[other(winner)]}`, tone: "cursed" };
    if (probe.dtm_plies != null)
        return { text: `${SIDE[winner]} mates in ${inMoves(probe.dtm_plies)}`, tone: winner };
    return { text: `${SIDE[winner]} wins`, tone: winner };
}

/** Why nothing is known of a position, and what is known all the same. */
function unknownNote(probe) {
    const known = probe.moves.filter(({ verdict }) => verdict !== null).length;
    const { code } = probe.unknown[0] ?? {};
    const why =
        probe.material === null
            ? `${probe.men} men are more than any table has.`
            : code === "castling"
              ? "Castling is still possible, which no table covers."
              : `This is ${probe.material}, ${probe.men} men, of which there is no table here.`;
    const moves =
        known === 0
            ? " All legal moves can be played."
            : known === 1
              ? " One move leads to a position that is known."
              : ` ${known} moves lead to positions that are known.`;
    return why + moves;
}

/** What a player should know about a verdict that was proven on the spot. */
function solvedNote(probe) {
    const { verdict, solved } = probe;
    const all = plural(solved.structures, "structure");
    if (verdict === "draw") return `Proven on the spot, by way of ${all} of pawns.`;
    if (verdict !== null) {
        const most = probe.at_most_plies ?? probe.dtc_plies;
        const bound = probe.at_most_plies == null ? "" : "At most ";
        const plies = most == null ? "" : ` ${bound}${most === 1 ? "1 ply" : `${most} plies`} to the next capture, promotion or mate.`;
        const rule = solved.rule50 === "no" ? "The 50-move rule changes nothing." : "The 50-move rule is left aside.";
        return `Proven on the spot, by way of ${all} of pawns.${plies} ${rule}`;
    }
    const why = solved.out_of_memory ? "The memory" : "The time";
    return `Not decided. ${why} that this server allows was used up after ${all} of pawns.`;
}

/** What else a player should know about the verdict; "" if nothing. */
export function verdictNote(probe) {
    if (probe.state === "ongoing" && probe.blocked) return ranksNote(probe);
    if (probe.state === "ongoing" && probe.solved) return solvedNote(probe);
    if (probe.state === "ongoing" && probe.verdict_clock_zero === null) return unknownNote(probe);
    const { turn, verdict, verdict_clock_zero: fresh, halfmove_clock: clock } = probe;
    const winner = winnerOf(verdict, turn);
    if (probe.state !== "ongoing") return "";
    if (verdict === "draw") return "With best play neither side can win.";
    if (verdict === "cursed_win" || verdict === "blessed_loss") {
        const late =
            probe.dtm_plies == null
                ? ""
                : ` Without the rule, ${SIDE[winner]} would mate in ${inMoves(probe.dtm_plies)}.`;
        if (fresh !== verdict)
            return `${plural(clock, "half-move")} without capture or pawn move are on the clock; with a fresh clock ${SIDE[winner]} would win.${late}`;
        return `${SIDE[winner]} cannot make progress before ${SIDE[other(winner)]} may claim a draw.${late}`;
    }
    return "";
}

const GROUPS = [
    ["win", "Winning"],
    ["cursed_win", "Won too late"], // for the 50-move rule, as the verdict says
    ["draw", "Drawing"],
    ["blessed_loss", "Saved by the rule"],
    ["loss", "Losing"],
    [null, "Not known"],
];

/** The moves in their groups, in the order in which they came: [{verdict, title, moves}]. */
export function groupMoves(moves) {
    return GROUPS.map(([verdict, title]) => ({
        verdict,
        title,
        moves: moves.filter((move) => move.verdict === verdict),
    })).filter((group) => group.moves.length > 0);
}

/** The distance of a move in words: "mates in 12 moves", "mated in 3 moves". */
export function moveWords(move, metric) {
    if (move.checkmate) return "checkmate";
    if (move.stalemate) return "stalemate";
    if (move.verdict === "draw") return "draw";
    const plies = move[METRICS[metric].key];
    if (move.verdict === null) return "not known";
    if (plies == null) return "distance not known";
    const wins = move.verdict === "win" || move.verdict === "cursed_win";
    const moves = inMoves(plies);
    if (metric === "dtm") return wins ? `mates in ${moves}` : `is mated in ${moves}`;
    return `${metric === "dtc" ? "conversion" : "zeroing move"} in ${moves}`;
}

const WORTH = { loss: 0, blessed_loss: 1, draw: 2, cursed_win: 3, win: 4 };

/** How good a move was, told against the best one: {text, tone: good|fair|bad}; null if not known. */
export function judgeMove(moves, played, metric) {
    const best = moves[0];
    if (!best || !played || best.verdict === null || played.verdict === null) return null;
    if (WORTH[played.verdict] < WORTH[best.verdict]) {
        if (best.verdict === "draw") return { text: "Loses a drawn game", tone: "bad" };
        if (WORTH[played.verdict] < 2)
            return {
                text: WORTH[best.verdict] > 2 ? "Turns a win into a loss" : "Gives up the 50-move draw",
                tone: "bad",
            };
        return { text: "Lets the win slip", tone: "bad" };
    }
    // A move of which nothing is known might be better still.
    if (best.verdict !== "win" && moves.some(({ verdict }) => verdict === null)) return null;
    const key = METRICS[metric].key;
    const [a, b] = [best[key], played[key]];
    if (best.verdict === "draw") return { text: "Holds the draw", tone: "good" };
    if (a == null || b == null) return null;
    const lost = Math.abs(movesOf(a) - movesOf(b));
    if (a === b || lost === 0) return { text: "Best move", tone: "good" };
    const wins = WORTH[best.verdict] > 2;
    return {
        text: wins ? `Still winning, ${plural(lost, "move")} slower` : `Loses ${plural(lost, "move")} sooner`,
        tone: "fair",
    };
}

/** A share as a percentage that never says 0 or 100 when it is not. */
export function percent(count, total) {
    if (total === 0 || count === 0) return "0 %";
    if (count === total) return "100 %";
    const share = (100 * count) / total;
    if (share < 0.1) return "< 0.1 %";
    if (share > 99.9) return "> 99.9 %";
    return `${share.toFixed(1)} %`;
}

/** How many positions a list has, and which: of zugzwangs who loses by having to move. `swapped`: White in the
 * tables is Black on the board. */
export function listWords(result, swapped) {
    const { kind, found, positions } = result;
    if (kind === "longest") {
        const words = found === 1 ? "No other win takes as long." : `${plural(found, "position")}; no win takes longer.`;
        return positions.length < found ? `${words} The first ${positions.length}:` : words;
    }
    if (found === 0) return "There are none: nobody loses by having to move who would not lose anyway.";
    const { zugzwang_full: full, zugzwang_white_loses: first, zugzwang_black_loses: second } = result;
    const [white, black] = swapped ? [second, first] : [first, second];
    const parts = [
        [full, "whoever is to move loses"],
        [white, "White loses by having to move"],
        [black, "Black loses by having to move"],
    ].filter(([count]) => count > 0);
    const who =
        parts.length === 1
            ? parts[0][1]
            : parts.map(([count, words]) => `${words} in ${count.toLocaleString("en")}`).join(", ");
    const cut = positions.length < found ? ` The ${positions.length} in which it takes longest:` : "";
    return `${plural(found, "position")}: ${who}.${cut}`;
}

/** What a rule of thumb says, for the side to move, in words of the board. */
export function claimWords(says, turn) {
    const [me, you] = [SIDE[turn], SIDE[other(turn)]];
    return {
        win: `${me} wins`,
        draw: "a draw",
        loss: `${you} wins`,
        "not win": `${me} does not win`,
        "not loss": `${me} does not lose`,
        true: "true here",
        false: "false here",
    }[says];
}

/** The same of many positions, with whoever to move. */
export const CLAIMS = {
    win: "Won",
    draw: "Drawn",
    loss: "Lost",
    "not win": "Not won",
    "not loss": "Not lost",
    true: "True",
    false: "False",
};

/** Whether a rule says nothing of verdicts: what it states is true or false of a position. */
export const isStatement = (says) => says === "true" || says === "false";

/** What a rule is called: how its text begins. */
export const ruleTitle = (about) => about.match(/^[^:(]*/)[0].trim();

/** Its text without the breaks between lines; paragraphs stay: a list of them. */
export const ruleText = (about) =>
    about.split(/\n\s*\n|\n(?= *\(\d\))/).map((part) => part.replace(/\s+/g, " ").trim());

/** How often a rule is right over an ending. */
export function figuresWords({ positions, silent, sayings }, name) {
    const spoken = positions - silent;
    const wrong = sayings.reduce((sum, saying) => sum + saying.wrong, 0);
    if (spoken === 0) return `It speaks of no position of ${name}.`;
    const of = `It speaks of ${percent(spoken, positions)} of all positions of ${name} (${spoken.toLocaleString("en")})`;
    const [right, not] = sayings.every(({ says }) => isStatement(says)) ? ["true of", "false of"] : ["right in", "wrong in"];
    return wrong === 0 ? `${of}, and is ${right} all of them.` : `${of}, and is ${not} ${percent(wrong, spoken)} of these (${wrong.toLocaleString("en")}).`;
}

/** What was proven of a strategy. */
export function provenWords({ white_to_move: white, black_to_move: black, best_longest_moves: best }) {
    const won = white.won + black.won;
    const wins = white.wins + black.wins;
    const longest = Math.max(white.longest_moves, black.longest_moves);
    const all = wins === won ? "It wins from every won position" : `It wins from ${percent(wins, won)} of the won positions`;
    return `${all}, against any defence, in ${longest} moves at most${best === null ? "" : `; best play needs ${best}`}.`;
}

/** Who wins at a place of a configuration by its result for the side to move: white, black, draw or impossible. */
export const winnerIn = (result, turn) => (result === "impossible" ? result : winnerOf(result, turn) ?? "draw");

const RESULTS = { white: "White wins", black: "Black wins", draw: "a draw", impossible: "cannot be" };

/** "King on e4: White wins". */
export const placeWords = (square, result, turn) => `King on ${square}: ${RESULTS[winnerIn(result, turn)]}`;

/** "free of the edges: 20". */
export const edgeWords = ({ group, places }) => `${group[0].toUpperCase()}${group.slice(1)}: ${places}`;

/** What a group of places is worth with a side to move: one verdict, with the moves that keep it everywhere, or how
 * often each. */
export function groupWords(side, turn) {
    const counts = ["win", "draw", "loss"].filter((result) => side[result] > 0);
    if (counts.length === 0) return "cannot be";
    if (!side.one_verdict)
        return counts.map((result) => `${RESULTS[winnerIn(result, turn)]} in ${side[result]}`).join(", ");
    const moves = side.moves.length > 3 ? `${side.moves.slice(0, 3).join(", ")}, …` : side.moves.join(", ");
    return RESULTS[winnerIn(counts[0], turn)] + (moves && counts[0] !== "loss" ? ` by ${moves}` : "");
}
