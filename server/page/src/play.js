// Moves on the board: the player's, the table's, and the best line played out.

import * as api from "./api.js";
import { advisedMove, follow } from "./advice.js";
import { METRICS, judgeMove } from "./words.js";
import { currentFen, endOf, fenAt, goTo, nextOf, parentOf, pathTo, play } from "./game.js";
import { formatFen, played } from "./fen.js";
import { resist } from "./resist.js";
import { answer, drilling, metric, onChange, show, state, update } from "./session.js";

/** Legal moves from one square to another; promotions are several. Empty while no answer is there. */
export function legal(from, to) {
    const probe = answer();
    return probe
        ? probe.moves.filter(({ uci }) => uci.slice(0, 2) === from && (!to || uci.slice(2, 4) === to))
        : [];
}

/** Plays a move of the position on the board. */
function playMove(move, how, extra = {}) {
    const fen = formatFen(played(state.position, move.uci));
    return show(play(state.game, { uci: move.uci, san: move.san, fen, advice: move.advice }), how, extra);
}

/** Plays a move for the player, and says how good it was. Ignores a move of another position. */
export function playOwn(move) {
    const probe = answer();
    if (!probe || !probe.moves.includes(move)) return null;
    const judgement = judgeMove(probe.moves, move, metric());
    return playMove(move, "push", {
        judgement: judgement && { ...judgement, san: move.san },
        playing: false,
    });
}

export const hasNext = () => nextOf(state.game) !== 0 || bestMove() !== null;

function bestMove() {
    const probe = answer();
    if (!probe || probe.moves.length === 0 || probe.verdict_clock_zero === null) return null;
    const first = state.line[0];
    // The move that keeps the verdict may lead to a missing table.
    if (!first && probe.moves[0].verdict !== probe.verdict) return null;
    return (first && probe.moves.find(({ uci }) => uci === first.uci)) || probe.moves[0];
}

/** The move that the table makes: the best one or, in a drawn position, one that makes the other side find moves. */
async function tableMove() {
    const probe = answer();
    const best = bestMove();
    if (!best || probe.verdict !== "draw") return best;
    const { game } = state;
    const before = pathTo(game).map((at) => fenAt(game, at));
    return resist(state.position, probe.moves, [game.start, ...before], api.batch).catch(() => best);
}

let rested = null; // the game as the player stepped back in it: the table waits

/** Goes to a place of the game. */
function go(at, rests) {
    const game = goTo(state.game, at);
    rested = rests ? game : null;
    return show(game, "replace", { playing: false });
}

export const goToMove = (at) => go(at, true);

/** The next move of the game or, at its end, the one that the table would make. */
async function stepOn() {
    const { game } = state;
    const best = await tableMove();
    if (best && state.game === game && answer()) playMove(best, "replace");
}

/** The sides whose moves the table or a strategy makes. */
function automatic() {
    const advisor = state.advice?.find(({ strategy }) => strategy === state.advisor);
    return [state.tablePlays, advisor?.plays].filter((side) => side === "white" || side === "black");
}

/** Whether the place is one at which the player is not to move, although he plays a side. */
function isOthers(at) {
    const sides = new Set(automatic());
    const turn = fenAt(state.game, at).split(" ")[1] === "w" ? "white" : "black";
    return sides.size === 1 && sides.has(turn);
}

/** The place before a move. If the player plays a side, it is his turn there. */
export function placeBefore(at) {
    let to = parentOf(state.game, at);
    while (to !== 0 && isOthers(to)) to = parentOf(state.game, to);
    return to;
}

function placeAfter(at) {
    let to = nextOf(state.game, at);
    while (isOthers(to) && nextOf(state.game, to)) to = nextOf(state.game, to);
    return to;
}

export function travel(where) {
    const { game } = state;
    const { at } = game;
    if (where === "next") {
        const to = placeAfter(at);
        if (to) return void go(to, false);
        return void (drilling() || stepOn());
    }
    const to = { first: () => 0, prev: () => placeBefore(at), last: () => endOf(game) }[where]();
    if (to !== at) go(to, where !== "last");
}

/** Plays `count` moves of the best line at once. */
export function followLine(count) {
    let game = state.game;
    for (const move of state.line.slice(0, count)) game = play(game, move);
    return show(game, "push", { playing: false });
}

function isOver(probe) {
    return probe.state !== "ongoing" || probe.moves.length === 0;
}

let timer = 0;
let waitingFor = "";

/** Whether the table or a strategy makes the next move. */
function tableToMove() {
    const probe = answer();
    if (state.setup || !probe) return false;
    if (state.playing) return nextOf(state.game) !== 0 || (!isOver(probe) && bestMove() !== null);
    return state.game !== rested && !isOver(probe) && (state.tablePlays === probe.turn || advisedMove() !== null);
}

function plan(patch) {
    const probe = answer();
    if (patch.advisor || (patch.tablePlays ?? "none") !== "none") rested = null;
    if (
        state.playing &&
        probe &&
        nextOf(state.game) === 0 &&
        (isOver(probe) || probe.verdict === "draw" || bestMove() === null)
    )
        return void update({ playing: false });
    const key = tableToMove()
        ? `${currentFen(state.game)} ${state.game.at} ${state.playing} ${state.pace}`
        : "";
    if (key === waitingFor) return;
    clearTimeout(timer);
    waitingFor = key;
    if (!key) return;
    timer = setTimeout(
        () => {
            waitingFor = "";
            if (tableToMove()) answerMove();
        },
        state.playing ? state.pace : Math.min(state.pace, 700),
    );
}

async function answerMove() {
    const { game, judgement, playing } = state;
    if (playing && nextOf(game)) return void show(goTo(game, nextOf(game)), "replace");
    const advised = playing ? null : advisedMove();
    if (advised) follow(advised);
    const best = advised ?? (await tableMove());
    // The remark on the player's move stays while the table answers it.
    if (best && state.game === game && tableToMove()) playMove(best, "replace", playing ? {} : { judgement });
}

export const startTable = () => onChange(plan);

/** The distance of the position on the board, in plies, or null. */
export const distanceHere = () => {
    const probe = answer();
    return probe ? probe[METRICS[metric()].key] : null;
};
