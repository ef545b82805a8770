// All questions that the page asks, with a cache of the answers. Answers do not change while the page is open, unless tables
// are installed. #source is server.js, or local.js where there is no server (../package.json).

import * as source from "#source";

export { ApiError } from "./apierror.js";

/** Whether one of the questions below can be asked; the first few always can. */
export const can = (name) => name in source;

const KEEP = 400;
const answers = new Map();

function remembered(name, ...about) {
    const key = JSON.stringify([name, ...about]);
    let answer = answers.get(key);
    if (!answer) {
        answer = source[name](...about);
        answers.set(key, answer);
        if (answers.size > KEEP) answers.delete(answers.keys().next().value);
        answer.catch(() => answers.delete(key));
    }
    return answer;
}

export const probe = (fen, metric) => remembered("probe", fen, metric);
export const stats = (material) => remembered("stats", material);
/** A random position of an ending; `options` may have turn, verdict, and metric with plies. */
export const random = (material, options = {}) => source.random(material, options);
/** The answers for many positions, in their order. */
export const batch = async (fens) => (await source.batch(fens)).answers;
export const tables = () => remembered("tables");

/** The corresponding squares of a position with blocked pawns. */
export const blocked = (fen, attacker) => remembered("blocked", fen, attacker);
/** Games or positions in a text, each position valued and each move judged. */
export const games = (text) => source.games(text);
/** The rules of thumb for a position, and what they say of it. */
export const rules = (fen) => remembered("rules", fen);
/** The strategies for a position, with the moves that they play and the advice that they follow. */
export const strategies = (fen) => remembered("strategies", fen);
/** All men of a position shifted together over the board. */
export const shift = (fen) => remembered("shift", fen);
/** Requests a list of positions of an ending; returns the job that makes it. */
export const find = (material, kind) => source.find(material, kind);
/** Requests the solution of a position; returns the job that solves it. */
export const solve = (fen) => source.solve(fen);
/** The state of a job, by its address. */
export const job = (address) => source.job(address);
export const cancelJob = (address) => source.cancelJob(address);

const lines = new Map();

/** The moves of best play from a position, [{uci, san, fen, ...}]. The last line also serves the positions on it. */
export async function line(fen, metric) {
    const known = lines.get(`${metric} ${fen}`);
    if (known) return known.moves.slice(known.from);
    const { moves } = await remembered("line", fen, metric);
    lines.clear();
    lines.set(`${metric} ${fen}`, { moves, from: 0 });
    moves.forEach((move, index) => lines.set(`${metric} ${move.fen}`, { moves, from: index + 1 }));
    return moves;
}
