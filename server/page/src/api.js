// Requests to the server, with a cache of the answers. Answers do not change while the page is open, unless tables are
// installed.

import { sentence } from "./words.js";

/** A failed request. `code` is that of the API, or "offline" if there was no response. `advice` says how to make the
 * missing table; it is null unless the server is on this machine and can make it. */
export class ApiError extends Error {
    constructor(code, message, advice = null) {
        super(message);
        this.code = code;
        this.advice = advice;
    }
}

const KEEP = 400;
const answers = new Map();

async function get(path, options = {}) {
    let response;
    try {
        response = await fetch(path, { headers: { Accept: "application/json" }, ...options });
    } catch {
        throw new ApiError("offline", "The server does not answer.");
    }
    const body = await response.json().catch(() => null);
    if (response.ok && body) return body;
    const error = body && body.error;
    if (error) throw new ApiError(error.code, sentence(error.message), error.advice);
    throw new ApiError("odd", `The server answered ${response.status} ${response.statusText}.`);
}

function remembered(path) {
    let answer = answers.get(path);
    if (!answer) {
        answer = get(path);
        answers.set(path, answer);
        if (answers.size > KEEP) answers.delete(answers.keys().next().value);
        answer.catch(() => answers.delete(path));
    }
    return answer;
}

const fenField = (fen) => fen.replaceAll(" ", "_");
const metricField = (metric) => (metric ? `&metric=${metric}` : "");

export const probe = (fen, metric) => remembered(`/v1/probe?fen=${fenField(fen)}${metricField(metric)}`);
export const blocked = (fen, attacker) =>
    remembered(`/v1/blocked?fen=${fenField(fen)}${attacker ? `&attacker=${attacker}` : ""}`);
export const stats = (material) => remembered(`/v1/stats/${encodeURIComponent(material)}`);
/** A random position of an ending; `options` may have turn, verdict, and metric with plies. */
export const random = (material, options = {}) =>
    get(`/v1/random/${material}?${new URLSearchParams(options)}`);
/** The answers for many positions, in their order. */
export const batch = async (fens) =>
    (await get("/v1/batch", { method: "POST", body: JSON.stringify({ fens }) })).answers;
/** Games or positions in a text, each position valued and each move judged. */
export const games = (text) => get("/v1/games", { method: "POST", body: text });
/** The rules of thumb for a position, and what they say of it. */
export const rules = (fen) => remembered(`/v1/rules?fen=${fenField(fen)}`);
/** The strategies for a position, with the moves that they play and the advice that they follow. */
export const strategies = (fen) => remembered(`/v1/strategies?fen=${fenField(fen)}`);
/** All men of a position shifted together over the board. */
export const shift = (fen) => remembered(`/v1/shift?fen=${fenField(fen)}`);
/** Requests a list of positions of an ending; returns the job that makes it. */
export const find = (material, kind) =>
    get("/v1/find", { method: "POST", body: JSON.stringify({ material, kind }) });
/** Requests the solution of a position; returns the job that solves it. */
export const solve = (fen) => get("/v1/solve", { method: "POST", body: JSON.stringify({ fen }) });
/** The state of a job, by its address. */
export const job = (address) => get(address);
export const cancelJob = (address) => get(address, { method: "DELETE" });
export const tables = () => remembered("/v1/tables");

const lines = new Map();

/** The moves of best play from a position, [{uci, san, fen, ...}]. The last line also serves the positions on it. */
export async function line(fen, metric) {
    const known = lines.get(`${metric} ${fen}`);
    if (known) return known.moves.slice(known.from);
    const { moves } = await remembered(`/v1/line?fen=${fenField(fen)}${metricField(metric)}`);
    lines.clear();
    lines.set(`${metric} ${fen}`, { moves, from: 0 });
    moves.forEach((move, index) => lines.set(`${metric} ${move.fen}`, { moves, from: index + 1 }));
    return moves;
}
