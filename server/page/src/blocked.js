// Positions with blocked pawns: the answers of /v1/blocked in words. No DOM, no server.

import { formatBoard, indexOf, parseFen, squareOf } from "./fen.js";
import { pliesOf } from "./plural.js";

const isPawn = (man) => man === "P" || man === "p";

/** Whether a pawn can never move: the next man in front of it, beyond own pawns, is an enemy pawn. */
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

/** Whether there are pawns, no pieces but the kings, and no pawn can move or capture. */
export function isBlocked({ men }) {
    const pawns = men.map((man, index) => (isPawn(man) ? index : -1)).filter((index) => index >= 0);
    if (pawns.length === 0 || men.some((man) => man !== "" && !/[KkPp]/.test(man))) return false;
    return pawns.every((index) => held(men, index) && !takes(men, index));
}

/** The pawns as text. Corresponding squares depend on nothing else. */
export const structureOf = ({ men }) =>
    men.map((man, index) => (isPawn(man) ? man + squareOf(index) : "")).join("");

/** The squares of the pawns, White's first, from the name of a file, as "a3c4-a4c5c6.exact.treb":
 * [["a3", "c4"], ["a4", "c5", "c6"]]; null if the name has none. */
export function pawnsOf(name) {
    const [, ...sides] = name.match(/^((?:[a-h][2-7])*)-((?:[a-h][2-7])*)\./) ?? [];
    return sides.length > 0 ? sides.map((squares) => squares.match(/../g) ?? []) : null;
}

/** A legal position with these pawns: each king near its own side, not attacked by a pawn. */
export function positionAmong(pawns) {
    const men = new Array(64).fill("");
    pawns.forEach((squares, black) => squares.forEach((square) => (men[indexOf(square)] = "Pp"[black])));
    const attacked = (index, ahead, enemy) =>
        [-1, 1].some((side) => (index % 8) + side >= 0 && (index % 8) + side < 8 && men[index + ahead + side] === enemy);
    const fromHome = [...men.keys()].sort((a, b) => (a >> 3) - (b >> 3) || Math.abs((a % 8) - 4) - Math.abs((b % 8) - 4));
    const apart = (a, b) => Math.max(Math.abs((a % 8) - (b % 8)), Math.abs((a >> 3) - (b >> 3))) > 1;
    const white = fromHome.find((index) => men[index] === "" && !attacked(index, 8, "p"));
    const black = fromHome
        .map((index) => index ^ 56)
        .find((index) => men[index] === "" && apart(index, white) && !attacked(index, -8, "P"));
    men[white] = "K";
    men[black] = "k";
    return parseFen(`${formatBoard(men)} w - - 0 1`);
}

const OTHER = { white: "black", black: "white" };

/** Whether the server is on the visitor's own machine, so that the visitor can make files there. */
export const ownMachine = (host = globalThis.location?.hostname ?? "") =>
    host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

/** The command that makes the blocked-pawn table of a position. */
export const makeCommand = (fen) => `trebuchet blocked --write tables '${fen}'`;

/** Copies upper bounds of distances to the place of exact ones; the note says that they are bounds. */
export function withBounds(probe) {
    if (!probe.blocked?.upper_bounds && !probe.solved) return probe;
    const bound = (value) => ({ ...value, dtc_plies: value.at_most_plies ?? value.dtc_plies });
    return { ...bound(probe), moves: probe.moves.map(bound) };
}

/** What a player should know about a verdict that comes from a blocked-pawn table. */
export function blockedNote(probe) {
    if (probe.verdict === null)
        return "The blocked-pawn table does not decide this. A table made with more memory may.";
    const rule = "The 50-move rule is ignored.";
    if (probe.verdict === "draw") return `With best play neither side can win. ${rule}`;
    const plies = probe.blocked.upper_bounds ? `at most ${pliesOf(probe.at_most_plies)}` : pliesOf(probe.dtc_plies);
    return `From a blocked-pawn table: ${plies} to mate or to the capture that keeps the win. ${rule}`;
}

const NAME = { white: "White", black: "Black" };

/** The squares of the kings: {white: "e5", black: "a5"}. */
function kings({ men }) {
    const find = (man) => squareOf(men.indexOf(man));
    return { white: find("K"), black: find("k") };
}

/** Whether the position on the board is a zugzwang, in words; "" if not. */
export function zugzwangHere(blocked, position) {
    const at = kings(position);
    const { attacker } = blocked;
    const defender = OTHER[attacker];
    if (blocked.double_zugzwangs[at[attacker]]?.includes(at[defender]))
        return "The kings are in mutual zugzwang: the side to move loses.";
    if (blocked.zugzwangs[at[attacker]]?.includes(at[defender]))
        return `The kings are in mutual zugzwang: ${NAME[attacker]} to move does not win; ${NAME[defender]} to move loses.`;
    return "";
}

/** The meaning of the marks. */
export const squaresRule = ({ attacker, groups }) =>
    groups.length === 0
        ? `There is no mutual zugzwang when ${NAME[attacker]} tries to win.`
        : `When ${NAME[attacker]}’s king goes to a filled mark, ${NAME[OTHER[attacker]]}’s king must be able to go to a ring with the same number.`;

/** The placements of the kings where the side to move loses, in words; "" if there are none. */
export function bothLose(blocked) {
    const white = blocked.attacker === "white";
    const pairs = Object.entries(blocked.double_zugzwangs).flatMap(([a, list]) =>
        list.map((d) => (white ? `K${a}–K${d}` : `K${d}–K${a}`)),
    );
    return pairs.length === 0 ? "" : `The side to move loses: ${pairs.join(", ")}.`;
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

/** The king of a side as a FEN letter. */
export const kingOf = (side) => (side === "white" ? "K" : "k");
export const defenderOf = (blocked) => OTHER[blocked.attacker];
