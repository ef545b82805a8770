// Pawn endings that no table has: asks the server to solve them, follows the background job, and shows the result like
// an answer from tables.

import * as api from "./api.js";
import { h, keepingFocus } from "./dom.js";
import { formatFen, parseFen, played } from "./fen.js";
import { currentFen } from "./game.js";
import { onChange, showSolved, state } from "./session.js";
import { plural, sentence } from "./words.js";

const PAUSES = [150, 300, 600, 1000, 2000]; // milliseconds between questions about progress; the last one repeats
const STORE = "solving"; // the addresses of jobs by position, so that they can be followed after a reload

const jobs = new Map(); // by position: the last state of the job, or {state: "refused", problem}
const watched = new Set();
let box = null; // the element with the button for the position on the board
let following = false; // positions after moves are solved too

const isPending = (job) => job?.state === "waiting" || job?.state === "running";

/** A position without its clocks, which do not matter here. */
const keyOf = (fen) => fen.split(" ").slice(0, 4).join(" ");
const here = () => keyOf(currentFen(state.game));

/** Whether it can be solved: at least one pawn, and at most one piece besides the king on each side. */
export function isSolvable({ men }) {
    const count = (pattern) => men.filter((man) => man !== "" && pattern.test(man)).length;
    return count(/[Pp]/) > 0 && count(/[QRBN]/) <= 1 && count(/[qrbn]/) <= 1;
}

function stored() {
    try {
        return JSON.parse(sessionStorage.getItem(STORE)) ?? {};
    } catch {
        return {};
    }
}

function store(key, address) {
    try {
        sessionStorage.setItem(STORE, JSON.stringify({ ...stored(), [key]: address }));
    } catch {
        // Without storage the job is lost by a reload.
    }
}

/** The best play in the form of a line of the page: each move with the position after it. */
function lineOf({ fen, line = [], line_uci = [] }) {
    let position = parseFen(fen);
    return line_uci.map((uci, index) => {
        position = played(position, uci);
        return { uci, san: line[index], fen: formatFen(position) };
    });
}

function note(key, job) {
    if (job) jobs.set(key, job);
    else jobs.delete(key);
    if (key === here()) show();
}

/** Asks the server until the job is done or no longer wanted. */
async function watch(key) {
    if (watched.has(key)) return;
    watched.add(key);
    for (let look = 0; isPending(jobs.get(key)); look++) {
        await new Promise((done) => setTimeout(done, PAUSES[Math.min(look, PAUSES.length - 1)]));
        const job = jobs.get(key);
        if (!isPending(job)) break;
        let seen = job;
        try {
            seen = await api.job(job.job);
        } catch (error) {
            // If the server does not answer, try again.
            if (error.code !== "offline") seen = { state: "refused", problem: error.message };
        }
        if (jobs.get(key) === job) note(key, seen);
    }
    watched.delete(key);
}

async function ask() {
    const key = here();
    try {
        const job = await api.solve(`${key} 0 1`);
        store(key, job.job);
        note(key, job);
    } catch (error) {
        following = false;
        note(key, { state: "refused", problem: error.message });
    }
    watch(key);
}

function begin() {
    following = true;
    ask();
}

function stop(key) {
    const { job } = jobs.get(key);
    following = false;
    note(key, null);
    api.cancelJob(job).catch(() => null); // on failure the job goes on unused
}

function pendingParts({ state: now, ahead, done }, key) {
    const words =
        now === "waiting" && ahead > 0
            ? `Waiting for ${plural(ahead, "other job")}.`
            : `Solving: ${plural(done, "pawn structure")} so far.`;
    return [
        h("p", { class: "hint" }, words),
        h(
            "div",
            { class: "row" },
            h("progress", { "aria-label": "Solving" }),
            h("button", { type: "button", class: "button small", onclick: () => stop(key) }, "Stop"),
        ),
    ];
}

function parts() {
    const key = here();
    const job = jobs.get(key);
    if (isPending(job)) return pendingParts(job, key);
    const button = h("button", { type: "button", class: "button", onclick: begin }, "Solve it");
    const problem = job?.problem ?? (job?.error && sentence(job.error.message));
    if (problem) return [h("p", { class: "hint" }, problem), button];
    return [
        h("p", { class: "hint" }, "This pawn ending can be solved now: who wins, and what each move is worth."),
        button,
    ];
}

/** Shows the progress or the answer. */
function show() {
    const job = jobs.get(here());
    if (job?.state === "done") {
        if (!state.probe?.solved || state.probeFen !== currentFen(state.game))
            showSolved(job.result.probe, lineOf(job.result));
        return;
    }
    if (box?.isConnected) keepingFocus(box, () => box.replaceChildren(...parts()), () => box.querySelector("button"));
}

/** An element from which the position on the board can be solved. */
export function solver() {
    const key = here();
    box = h("div", { class: "solver", "aria-live": "polite" }, ...parts());
    const address = stored()[key];
    if (jobs.has(key)) return box;
    if (following && state.game.at > 0) {
        ask();
    } else if (address) {
        // It was requested before a reload.
        const seen = (job) => {
            note(key, job);
            watch(key);
        };
        api.job(address).then(seen, () => null);
    }
    return box;
}

export function startSolve() {
    onChange((patch) => {
        if ("probe" in patch && !patch.probe?.solved && jobs.get(here())?.state === "done") show();
    });
}
