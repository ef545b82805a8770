// Asks the server, and remembers what it said: answers never change while the page is open, except
// for tables that come to be installed.

import { sentence } from "./words.js";

/** What went wrong: `code` as the API has it, or "offline" if there was no answer at all. `advice`: how to make
 * the table that is missing; null unless the server is on this machine and could make it. */
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
export const ranks = (fen, attacker) =>
    remembered(`/v1/blocked?fen=${fenField(fen)}${attacker ? `&attacker=${attacker}` : ""}`);
export const stats = (material) => remembered(`/v1/stats/${encodeURIComponent(material)}`);
/** A position of an ending by chance; `wish` may have turn, verdict, metric with plies. */
export const random = (material, wish = {}) =>
    get(`/v1/random/${material}?${new URLSearchParams(wish)}`);
/** Games or positions in a text, each position valued and each move judged. */
export const games = (text) => get("/v1/games", { method: "POST", body: text });
/** What rules of thumb say of a position. */
export const rules = (fen) => remembered(`/v1/rules?fen=${fenField(fen)}`);
/** What strategies for its ending play in a position, and by which advice. */
export const strategies = (fen) => remembered(`/v1/strategies?fen=${fenField(fen)}`);
/** The same men, all shifted together, elsewhere on the board. */
export const shift = (fen) => remembered(`/v1/shift?fen=${fenField(fen)}`);
/** Asks for a list of positions of an ending: gives the job that makes it. */
export const find = (material, kind) =>
    get("/v1/find", { method: "POST", body: JSON.stringify({ material, kind }) });
/** Asks for a position to be solved: gives the job that does it. */
export const solve = (fen) => get("/v1/solve", { method: "POST", body: JSON.stringify({ fen }) });
/** How a job is, by its address. */
export const job = (address) => get(address);
export const cancelJob = (address) => get(address, { method: "DELETE" });
export const tables = () => remembered("/v1/tables");

const lines = new Map();

/** The moves of best play from here, [{uci, san, fen, ...}]; lines asked before serve their own positions, too. */
export async function line(fen, metric) {
    const known = lines.get(`${metric} ${fen}`);
    if (known) return known.moves.slice(known.from);
    const { moves } = await remembered(`/v1/line?fen=${fenField(fen)}${metricField(metric)}`);
    lines.clear();
    lines.set(`${metric} ${fen}`, { moves, from: 0 });
    moves.forEach((move, index) => lines.set(`${metric} ${move.fen}`, { moves, from: index + 1 }));
    return moves;
}
