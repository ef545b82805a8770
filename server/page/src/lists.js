// Lists of positions of an ending: requests them, follows the background job of the server, shows them. `shown` is as
// in ending.js.

import * as api from "./api.js";
import { h, keepingFocus } from "./dom.js";
import { asOnBoard } from "./ending.js";
import { gallery } from "./mini.js";
import { inMoves, listWords, other, percent, plural, sentence, sideName, winnerOf } from "./words.js";

const SHOWN = 6; // at first
const PAUSES = [300, 600, 1000, 2000]; // milliseconds between questions about progress; the last one repeats

const found = new Map(); // by "kind material": the last state of the job, or {state: "refused", problem}
const boxes = new Set(); // functions that show a changed job
const watched = new Set();

const isPending = (job) => job?.state === "waiting" || job?.state === "running";

/** Stores the state of a job and shows it; null removes it. */
function note(key, job) {
    if (job) found.set(key, job);
    else found.delete(key);
    for (const box of boxes) box(key);
}

const KINDS = {
    zugzwang: { title: "Mutual zugzwangs", find: "Find them" },
    longest: { title: "All positions with the longest win", find: "Find them" },
};

/** The position to set up. In a zugzwang of half a point the side that loses is to move. */
function toSetUp(entry, swapped) {
    const fields = entry.fen.split(" ");
    if (entry.zugzwang === "half") fields[1] = entry.white.verdict === "draw" ? "b" : "w";
    return asOnBoard(fields.join(" "), swapped);
}

function captionOf(entry, swapped) {
    const turn = toSetUp(entry, swapped).turn === "w" ? "white" : "black";
    if (entry.zugzwang === "full") return "The side to move loses";
    const side = entry.zugzwang ? entry[swapped ? other(turn) : turn] : entry;
    const winner = sideName(winnerOf(side.verdict, turn));
    const length = side.dtm_plies === undefined ? "" : ` in ${inMoves(side.dtm_plies)}`;
    return entry.zugzwang ? `${sideName(turn)} loses${length}` : `${winner} wins${length}`;
}

/** The result in words and on small boards. */
function resultParts({ result }, swapped, go) {
    const entries = result.positions.map((entry) => ({
        position: toSetUp(entry, swapped),
        caption: captionOf(entry, swapped),
    }));
    const parts = [h("p", { class: "hint" }, listWords(result, swapped))];
    if (entries.length > 0) parts.push(gallery(entries, SHOWN, go));
    return parts;
}

/** Asks the server until the job is done or no longer wanted. */
async function watch(key) {
    if (watched.has(key)) return;
    watched.add(key);
    for (let look = 0; isPending(found.get(key)); look++) {
        await new Promise((done) => setTimeout(done, PAUSES[Math.min(look, PAUSES.length - 1)]));
        const job = found.get(key);
        if (!isPending(job)) break;
        let seen = job;
        try {
            seen = await api.job(job.job);
        } catch (error) {
            // If the server does not answer, try again.
            if (error.code !== "offline") seen = { state: "refused", problem: error.message };
        }
        if (found.get(key) === job) note(key, seen);
    }
    watched.delete(key);
}

async function ask(kind, name) {
    const key = `${kind} ${name}`;
    try {
        note(key, await api.find(name, kind));
    } catch (error) {
        note(key, { state: "refused", problem: error.message });
    }
    watch(key);
}

function stop(key) {
    const { job } = found.get(key);
    note(key, null);
    api.cancelJob(job).catch(() => null); // on failure the job goes on unused
}

function pendingParts({ state, ahead, done, total }, key, label) {
    const words =
        state === "waiting" && ahead > 0
            ? `Waiting for ${plural(ahead, "other job")}.`
            : `Checking all positions: ${total > 0 ? percent(done, total) : "0 %"}`;
    return [
        h("p", { class: "hint" }, words),
        h(
            "div",
            { class: "row" },
            h("progress", { max: total || 1, value: done, "aria-label": label }),
            h("button", { type: "button", class: "button small", onclick: () => stop(key) }, "Stop"),
        ),
    ];
}

/** A list of an ending, or the button that requests it. It updates itself. */
export function listOf(kind, shown, go) {
    const { name, swapped } = shown;
    const key = `${kind} ${name}`;
    const { title, find } = KINDS[kind];
    const body = h("div", { class: "finder-body", "aria-live": "polite" });
    const box = h("div", { class: "finder", "data-list": kind }, h("h3", {}, title), body);
    const button = () =>
        h(
            "button",
            { type: "button", class: "button small", "aria-label": `${find}: ${title} of ${name}`, onclick: () => ask(kind, name) },
            find,
        );
    const partsOf = (job) => {
        if (!job) return [button()];
        if (isPending(job)) return pendingParts(job, key, `${title} of ${name}`);
        if (job.state === "done") return resultParts(job, swapped, go);
        return [h("p", { class: "hint" }, job.problem ?? sentence(job.error.message)), button()];
    };
    const draw = () => keepingFocus(body, () => body.replaceChildren(...partsOf(found.get(key))), () => body.querySelector("button"));
    const heard = (changed) => {
        if (!box.isConnected) boxes.delete(heard);
        else if (changed === key) draw();
    };
    draw();
    boxes.add(heard);
    return box;
}
