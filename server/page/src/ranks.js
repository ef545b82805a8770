// Kings among blocked pawns: what /v1/blocked says, in words. No DOM, no server.

import { formatBoard, indexOf, parseFen, squareOf } from "./fen.js";

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

/** The squares of the pawns, White's first, that a file of one structure is named after, as
 * "a3c4-a4c5c6.exact.treb": [["a3", "c4"], ["a4", "c5", "c6"]]. null: it tells none. */
export function pawnsOf(name) {
    const [, ...sides] = name.match(/^((?:[a-h][2-7])*)-((?:[a-h][2-7])*)\./) ?? [];
    return sides.length > 0 ? sides.map((squares) => squares.match(/../g) ?? []) : null;
}

/** A position of such a structure: each king near its own side, where no pawn attacks it. */
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

/** Whether the page comes from the machine that shows it: its visitor then is the one who can make files there. */
export const ownMachine = (host = globalThis.location?.hostname ?? "") =>
    host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

/** The command that makes the blocked-pawn table of a position. */
export const makeCommand = (fen) => `trebuchet blocked --write tables '${fen}'`;

/** An answer in which distances that are upper bounds stand where others do: the note says that they are bounds. */
export function withBounds(probe) {
    if (!probe.blocked?.upper_bounds && !probe.solved) return probe;
    const bound = (value) => ({ ...value, dtc_plies: value.at_most_plies ?? value.dtc_plies });
    return { ...bound(probe), moves: probe.moves.map(bound) };
}

/** What a player should know about a verdict that comes from a blocked-pawn table. */
export function ranksNote(probe) {
    if (probe.verdict === null)
        return "Whether this can be won is not decided: making its blocked-pawn table with more memory may tell.";
    const rule = "The 50-move rule is left aside.";
    if (probe.verdict === "draw") return `With best play neither side can win. ${rule}`;
    const plies = probe.blocked.upper_bounds ? `at most ${probe.at_most_plies}` : probe.dtc_plies;
    return `From a blocked-pawn table: ${plies} plies to mate or to the capture that keeps the win. ${rule}`;
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
