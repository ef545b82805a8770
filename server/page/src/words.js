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

/** What else a player should know about the verdict; "" if nothing. */
export function verdictNote(probe) {
    if (probe.state === "ongoing" && probe.blocked) return ranksNote(probe);
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
