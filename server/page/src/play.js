// Moves on the board: the player's, the table's, and the best line played out.

import { advisedMove, follow } from "./advice.js";
import { METRICS, judgeMove } from "./words.js";
import { currentFen, goTo, play } from "./game.js";
import { formatFen, played } from "./fen.js";
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

export const hasNext = () => state.game.at < state.game.moves.length || bestMove() !== null;

function bestMove() {
    const probe = answer();
    if (!probe || probe.moves.length === 0 || probe.verdict_clock_zero === null) return null;
    const first = state.line[0];
    // The move that keeps the verdict may lead to a missing table.
    if (!first && probe.moves[0].verdict !== probe.verdict) return null;
    return (first && probe.moves.find(({ uci }) => uci === first.uci)) || probe.moves[0];
}

/** The next move of the game or, at its end, the best one. False if there is none. */
function stepOn() {
    if (state.game.at < state.game.moves.length) {
        show(goTo(state.game, state.game.at + 1), "replace");
        return true;
    }
    const best = bestMove();
    if (best) playMove(best, "replace");
    return best !== null;
}

export function travel(where) {
    const { at, moves } = state.game;
    if (where === "next") return void (drilling() && at === moves.length ? null : stepOn());
    const to = { first: 0, prev: at - 1, last: moves.length }[where];
    if (to >= 0 && to !== at) show(goTo(state.game, to), "replace", { playing: false });
}

/** Plays `count` moves of the best line at once. */
export function followLine(count) {
    let game = state.game;
    for (const move of state.line.slice(0, count)) game = play(game, move);
    return show(game, "push", { playing: false });
}

export const goToMove = (at) => show(goTo(state.game, at), "replace", { playing: false });

function isOver(probe) {
    return probe.state !== "ongoing" || probe.moves.length === 0;
}

let timer = 0;
let waitingFor = "";

/** Whether the table or a strategy makes the next move. */
function tableToMove() {
    const probe = answer();
    if (state.setup || !probe) return false;
    const atEnd = state.game.at === state.game.moves.length;
    if (state.playing)
        return !atEnd || (!isOver(probe) && bestMove() !== null);
    return atEnd && !isOver(probe) && (state.tablePlays === probe.turn || advisedMove() !== null);
}

function plan() {
    const probe = answer();
    if (
        state.playing &&
        probe &&
        state.game.at === state.game.moves.length &&
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

function answerMove() {
    const { judgement, playing } = state;
    if (state.game.at < state.game.moves.length)
        return void show(goTo(state.game, state.game.at + 1), "replace");
    const advised = playing ? null : advisedMove();
    if (advised) follow(advised);
    const best = advised ?? bestMove();
    // The remark on the player's move stays while the table answers it.
    if (best) playMove(best, "replace", playing ? {} : { judgement });
}

export const startTable = () => onChange(plan);

/** The distance of the position on the board, in plies, or null. */
export const distanceHere = () => {
    const probe = answer();
    return probe ? probe[METRICS[metric()].key] : null;
};
