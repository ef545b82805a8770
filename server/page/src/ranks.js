// Kings among blocked pawns: what /v1/blocked says, in the shape of other answers and in words. No
// DOM, no server.

import { formatFen, played, squareOf } from "./fen.js";

const isPawn = (man) => man === "P" || man === "p";

/** Whether a pawn can never move: an enemy pawn is before it, or its own that cannot move either. */
function held(men, index) {
    const step = men[index] === "P" ? 8 : -8;
    let at = index + step;
    while (men[at] === men[index]) at += step;
    return isPawn(men[at] ?? "");
}

function takes(men, index) {
    const [step, enemy] = men[index] === "P" ? [8, "p"] : [-8, "P"];
    const file = index % 8;
    return (file > 0 && men[index + step - 1] === enemy) || (file < 7 && men[index + step + 1] === enemy);
}

/** Whether there are only kings and pawns, some of them, and no pawn can move. */
export function isBlocked({ men }) {
    const pawns = men.map((man, index) => (isPawn(man) ? index : -1)).filter((index) => index >= 0);
    if (pawns.length === 0 || men.some((man) => man !== "" && !/[KkPp]/.test(man))) return false;
    return pawns.every((index) => held(men, index) && !takes(men, index));
}

/** The pawns as text: positions with the same have the same corresponding squares. */
export const structureOf = ({ men }) =>
    men.map((man, index) => (isPawn(man) ? man + squareOf(index) : "")).join("");

const OTHER = { white: "black", black: "white" };

/** A verdict about who wins as one for a side; null if it is open. */
function verdictFor(side, verdict) {
    if (verdict === "draw") return "draw";
    if (verdict === "open") return null;
    return verdict === side ? "win" : "loss";
}

/** An answer of /v1/blocked in the shape of one of /v1/probe: ranks are conversions. */
export function asProbe(ranks, position) {
    const turn = position.turn === "w" ? "white" : "black";
    const verdict = verdictFor(turn, ranks.verdict);
    const over = ranks.moves.length === 0;
    const missing = "A rank file does not know this distance.";
    return {
        fen: ranks.fen,
        turn,
        state: over ? (ranks.verdict === OTHER[turn] ? "checkmate" : "stalemate") : "ongoing",
        verdict,
        verdict_clock_zero: verdict,
        halfmove_clock: position.halfmove,
        metric: "dtc",
        material: null,
        dtm_plies: null,
        dtc_plies: ranks.plies,
        dtz_plies: null,
        unknown: ["dtm", "dtz"].map((metric) => ({ metric, code: "no_table", message: missing })),
        moves: ranks.moves.map((move) => ({
            uci: move.uci,
            san: move.san,
            verdict: verdictFor(turn, move.verdict),
            checkmate: move.san.endsWith("#"),
            stalemate: false,
            dtm_plies: null,
            dtc_plies: move.plies,
            dtz_plies: null,
        })),
        ranks,
    };
}

/** Its line as moves with the positions after them. */
export function lineOf(ranks, position) {
    let now = position;
    return ranks.line_uci.map((uci, index) => {
        now = played(now, uci);
        return { uci, san: ranks.line[index], fen: formatFen(now) };
    });
}

/** Whether the page comes from the machine that shows it: its visitor then is the one who can make files there. */
export const ownMachine = (host = globalThis.location?.hostname ?? "") =>
    host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

/** The command that makes the rank file of a position. */
export const makeCommand = (fen) => `trebuchet blocked --write tables '${fen}'`;

/** What a player should know about a verdict that comes from a rank file. */
export function ranksNote(ranks) {
    if (ranks.verdict === "open")
        return "Whether this can be won is not decided: making the rank file with more memory may tell.";
    const rule = "The 50-move rule is left aside.";
    if (ranks.verdict === "draw") return `With best play neither side can win. ${rule}`;
    const most = ranks.upper_bounds ? "at most " : "";
    return `From a rank file: ${most}${ranks.plies} plies to mate or to the capture that keeps the win. ${rule}`;
}

const NAME = { white: "White", black: "Black" };

/** Where both kings stand: {white: "e5", black: "a5"}. */
function kings({ men }) {
    const find = (man) => squareOf(men.indexOf(man));
    return { white: find("K"), black: find("k") };
}

/** What the squares say of the position on the board; "" if nothing. */
export function zugzwangHere(ranks, position) {
    const at = kings(position);
    const { attacker } = ranks;
    const defender = OTHER[attacker];
    if (ranks.double_zugzwangs[at[attacker]]?.includes(at[defender]))
        return "The kings are in mutual zugzwang: whoever moves loses.";
    if (ranks.zugzwangs[at[attacker]]?.includes(at[defender]))
        return `The kings are in mutual zugzwang: with the move ${NAME[attacker]} does not win, and ${NAME[defender]} loses.`;
    return "";
}

/** What the marks mean. */
export const squaresRule = ({ attacker, groups }) =>
    groups.length === 0
        ? `There is no mutual zugzwang when ${NAME[attacker]} tries to win.`
        : `When ${NAME[attacker]}’s king steps on a filled mark, ${NAME[OTHER[attacker]]}’s must be able to step on a ring with the same number.`;

/** The placements where whoever moves loses, in words; "" if there are none. */
export function bothLose(ranks) {
    const white = ranks.attacker === "white";
    const pairs = Object.entries(ranks.double_zugzwangs).flatMap(([a, list]) =>
        list.map((d) => (white ? `K${a}–K${d}` : `K${d}–K${a}`)),
    );
    return pairs.length === 0 ? "" : `Whoever moves loses: ${pairs.join(", ")}.`;
}

/** The marks of each square: {e6: {attacker: [0], defender: []}}, groups by number. */
export function marksBySquare(groups) {
    const marks = {};
    groups.forEach((group, number) => {
        for (const side of ["attacker", "defender"])
            for (const square of group[side])
                (marks[square] ??= { attacker: [], defender: [] })[side].push(number);
    });
    return marks;
}

/** The men of a side for the list: "white" or "black" king as a FEN letter. */
export const kingOf = (side) => (side === "white" ? "K" : "k");
export const defenderOf = (ranks) => OTHER[ranks.attacker];
