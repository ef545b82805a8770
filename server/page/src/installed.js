// Which tables the server has: asked before a request that would fail, and to grey out what cannot be looked up.

import * as api from "./api.js";
import { pawnsOf } from "./blocked.js";
import { sideLetters, squareOf } from "./fen.js";

const NONE = { tables: [], ranks: [], solved: [], solve_seconds: null };

/** The list of tables; an empty one if the server does not answer. */
export const installed = () => api.tables().catch(() => NONE);

/** Whether a table has the position itself, so that its lines, rules and neighbours are known too. */
export const isCovered = (probe, { castling }) =>
    castling === "-" &&
    probe.verdict_clock_zero !== null &&
    !probe.blocked &&
    !probe.solved &&
    !probe.unknown.some(({ metric }) => metric === "wdl");

/** Whether there is a table of an ending, such as KRPvKR. */
export const hasEnding = ({ tables }, name) => tables.some(({ material }) => material === name);

const keyOf = (white, black) => [white, black].map((squares) => [...squares].sort().join("")).join("-");

/** Whether there is a file for the pawns of a position, perhaps mirrored or with colours exchanged. */
export function hasStructure({ ranks, solved }, { men }) {
    const squares = (man, turn) => men.flatMap((other, index) => (other === man ? [squareOf(index ^ turn)] : []));
    const wanted = [0, 7].flatMap((mirror) => [
        keyOf(squares("P", mirror), squares("p", mirror)),
        keyOf(squares("p", mirror ^ 56), squares("P", mirror ^ 56)),
    ]);
    const files = [...ranks, ...solved].map(pawnsOf).filter(Boolean);
    return files.some(([white, black]) => wanted.includes(keyOf(white, black)));
}

/** Whether the server can value a position. */
export function canLookUp(tables, position) {
    const [white, black] = [sideLetters(position, true), sideLetters(position, false)];
    return hasEnding(tables, `${white}v${black}`) || hasEnding(tables, `${black}v${white}`) || hasStructure(tables, position);
}
