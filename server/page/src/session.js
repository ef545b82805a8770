// The state of the page: the game, the server's answer, the user's choices. Modules read `state`, change it with
// update() and the functions below, and get notice of changes by onChange.

import * as api from "./api.js";
import { currentFen, isGame, newGame, recalled } from "./game.js";
import { formatFen, obstacle, parseFen } from "./fen.js";
import { isBlocked, structureOf, withBounds } from "./blocked.js";
import { hasStructure, installed, isCovered } from "./installed.js";
import { FIRST } from "./samples.js";

/** A choice of an earlier visit. */
function kept(name) {
    try {
        return localStorage.getItem(name);
    } catch {
        return null;
    }
}

export const state = {
    game: newGame(FIRST),
    position: parseFen(FIRST),
    probe: null, // the last answer
    probeFen: "", // its position
    error: null, // why there is no answer for the position on the board: {code, message, advice}
    line: [], // best play from the position on the board
    judgement: null, // the remark on the last move, compared with the best one
    metric: null, // the user's choice; null: the server's default
    blocked: null, // the last answer with corresponding squares of a blocked position
    blockedError: null, // why there is none: {code, message}
    blockedFen: "", // its position
    blockedOf: "", // its pawns
    attacker: null, // the side whose corresponding squares are shown; null: the server's default
    squares: false, // show corresponding squares on the board
    setup: false,
    playing: false,
    tablePlays: "none",
    advisor: null, // the name of the strategy that plays its side
    advice: null, // the strategies for the ending, with the moves that they play: see advice.js
    adviceFen: "", // their position
    pace: 1000, // milliseconds between moves that are played automatically
    hide: kept("hide") === "yes",
    drill: null, // the current drill: see drill.js
};

const listeners = [];
export const onChange = (listener) => listeners.push(listener);

export function update(patch) {
    Object.assign(state, patch);
    for (const listener of listeners) listener(patch);
}

/** The answer for the position on the board; null while there is none. */
export const answer = () =>
    state.probe && state.probeFen === currentFen(state.game) && !state.error ? state.probe : null;

/** Whether a drill goes on. */
export const drilling = () => state.drill !== null && state.drill.outcome === null;

/** Whether the answers are hidden: by the user's choice, or during a drill. */
export const hidden = () => state.hide || drilling();

/** The metric for sorting and for the chart: the chosen one, unless its table is missing. */
export function metric() {
    const known = state.probe && state.probe.verdict_clock_zero !== null;
    const missing = known ? state.probe.unknown.map((entry) => entry.metric) : [];
    const wanted = [state.metric, state.probe && state.probe.metric, "dtm", "dtc", "dtz"].filter(Boolean);
    return wanted.find((name) => !missing.includes(name)) || wanted[0];
}

const address = (fen) => `?fen=${fen.replaceAll(" ", "_")}`;
export const link = () => new URL(address(currentFen(state.game)), location.href).href;

let edited = false; // the last entry of the history is an edit; the next edit replaces it

function remember(how, game) {
    if (how === "none") return;
    const push = how === "push" || (how === "edit" && !edited);
    edited = how === "edit";
    if (push && currentFen(state.game) === currentFen(game) && location.search) return;
    history[push ? "pushState" : "replaceState"]({ game }, "", address(currentFen(game)));
}

let asked = 0;
let retry = 0;

/** The corresponding squares of a blocked position, from its table; null if the server has none. */
async function askBlocked(number, fen, position) {
    let blocked = null;
    let blockedError = null;
    try {
        const { tables, ranks, solved } = await installed();
        if (tables.length > 0 && !hasStructure({ ranks, solved }, position)) throw new api.ApiError("no_table", "");
        blocked = await api.blocked(fen, state.attacker);
    } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        blockedError = { code: error.code, message: error.message };
    }
    if (number === asked) update({ blocked, blockedError, blockedFen: fen, blockedOf: structureOf(position) });
}

async function ask() {
    const number = ++asked;
    const fen = currentFen(state.game);
    const wanted = state.metric;
    clearTimeout(retry);
    const why = obstacle(state.position);
    if (why) return update({ error: { code: "bad_position", message: why }, line: [] });
    const { position } = state;
    try {
        const probe = withBounds(await api.probe(fen, wanted));
        if (number !== asked) return;
        update({ probe, probeFen: fen, error: null, line: [] });
        if (state.squares && isBlocked(position)) askBlocked(number, fen, position);
        if (probe.state !== "ongoing" || probe.verdict === "draw" || !probe.verdict) return;
        if (!probe.blocked && !isCovered(probe, position)) return;
        const line = await api.line(fen, metric());
        if (number === asked) update({ line });
    } catch (error) {
        if (number !== asked) return;
        if (!(error instanceof api.ApiError)) throw error;
        const { code, message, advice } = error;
        if (answer()) return; // only the line failed; the verdict stays
        update({ error: { code, message, advice }, line: [], playing: false });
        if (["offline", "busy", "too_many", "time_up"].includes(code)) retry = setTimeout(ask, 4000);
    }
}

export const askAgain = () => ask();

/** Shows an answer for the position on the board that did not come from tables. */
export function showSolved(probe, line) {
    update({ probe: withBounds(probe), probeFen: currentFen(state.game), error: null, line });
}

/** Shows a game. `how` says how the address and the history change: push, replace, edit or none. */
export function show(game, how, extra = {}) {
    const position = parseFen(currentFen(game));
    remember(how, game);
    update({ game, position, error: null, line: [], judgement: null, ...extra });
    return ask();
}

/** Starts a new game from a position. */
export function showPosition(position, how, extra = {}) {
    return show(newGame(formatFen(position)), how, { playing: false, ...extra });
}

/** Keeps a choice for the next visit. Private windows may have no storage; then it is lost with the page. */
function keep(name, value) {
    try {
        localStorage.setItem(name, value);
    } catch {
        // No storage.
    }
}

export function chooseMetric(metric) {
    update({ metric });
    keep("metric", metric);
    return ask();
}

export function chooseHide(hide) {
    update({ hide });
    keep("hide", hide ? "yes" : "no");
}

export function chooseAttacker(attacker) {
    update({ attacker });
    return askSquares();
}

/** Requests the corresponding squares of the position on the board. */
export const askSquares = () => askBlocked(asked, currentFen(state.game), state.position);

/** The position of the page's address; if that is unreadable, the first position and the reason. */
function fromAddress() {
    const text = new URLSearchParams(location.search).get("fen");
    if (text === null) return { game: newGame(FIRST), problem: "" };
    try {
        const position = parseFen(text);
        return { game: newGame(formatFen(position)), problem: "" };
    } catch (error) {
        return { game: newGame(FIRST), problem: `The address has no valid position. ${error.message}` };
    }
}

/** The game in an entry of the history, or else the position of the address. */
function fromHistory(entry) {
    if (!isGame(entry?.game)) return fromAddress();
    try {
        parseFen(currentFen(entry.game));
        return { game: recalled(state.game, entry.game), problem: "" };
    } catch {
        return fromAddress();
    }
}

export function start() {
    if (["dtm", "dtc", "dtz"].includes(kept("metric"))) state.metric = kept("metric");
    addEventListener("popstate", (event) => {
        edited = false;
        const { game, problem } = fromHistory(event.state);
        show(game, "none", { playing: false, fenProblem: problem });
    });
    const { game, problem } = fromHistory(history.state);
    history.replaceState({ game }, "", location.href);
    return show(game, "none", { fenProblem: problem });
}
