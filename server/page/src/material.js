// What is known of the ending as a whole: shares, distances, longest wins, smaller endings.

import * as api from "./api.js";
import { $, h, manPicture, toast } from "./dom.js";
import { byMoves, drawChart, rankWords } from "./chart.js";
import { formatFen, materialOf, parseFen, sideLetters, swapColours } from "./fen.js";
import { METRICS, inMoves, movesOf, other, percent, plural, sideName, winnerOf } from "./words.js";
import { answer, metric, onChange, showPosition, state } from "./session.js";
import { distanceHere } from "./play.js";

let shown = null; // {name, swapped, stats} that the panel is about
let side = null; // whose move the chart is about; null follows the board
let logarithmic = true;
let asked = 0;

const VERDICTS = ["win", "cursed_win", "draw", "blessed_loss", "loss"];

/** Whether the stronger side, White in the tables, is Black on the board. */
const isSwapped = (name) => name.split("v")[0] !== sideLetters(state.position, true);

/** A FEN of the tables, with the stronger side White or, where it is Black on the board, Black. */
const asOnBoard = (fen, swapped) => (swapped ? swapColours(parseFen(fen)) : parseFen(fen));
const tableSide = (turn) => (shown.swapped ? other(turn) : turn);

function title(name, swapped) {
    const [strong, weak] = name.split("v");
    const [white, black] = swapped ? [weak, strong] : [strong, weak];
    return h("h2", { id: "material-title", class: "material-title" },
        h("span", { class: "men", "aria-hidden": "true" }, ...[...white].map((man) => manPicture(man)), h("i", {}, "v"), ...[...black.toLowerCase()].map((man) => manPicture(man))),
        h("span", { class: "material-name" }, name));
}

/** Shares as White's wins, draws, Black's wins, for one side to move. */
function shares(turn) {
    const counts = shown.stats.counts[tableSide(turn)];
    const order = turn === "white" ? VERDICTS : [...VERDICTS].reverse();
    const total = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
    const parts = order.map((verdict) => ({ verdict, count: counts[verdict], winner: winnerOf(verdict, turn) })).filter(({ count }) => count > 0);
    const name = ({ verdict, winner }) => (verdict === "draw" ? "Draw" : sideName(winner)) + (/_/.test(verdict) ? ", but for the 50-move rule" : "");
    const kind = ({ verdict, winner }) => (verdict === "draw" ? "draw" : `${winner}${/_/.test(verdict) ? " cursed" : ""}`);
    const bar = h("div", { class: "share-bar", "aria-hidden": "true" }, ...parts.map((part) =>
        h("span", { class: `share ${kind(part)}`, title: `${name(part)}: ${plural(part.count, "position")}`, vars: { "--size": part.count / total } })));
    const list = h("ul", { class: "share-list" }, ...parts.map((part) =>
        h("li", { title: plural(part.count, "position") }, h("span", { class: `swatch ${kind(part)}` }), `${name(part)} `, h("b", {}, percent(part.count, total)))));
    return h("div", { class: "shares", "data-turn": turn }, h("h3", {}, `${sideName(turn)} to move`, h("span", { class: "count" }, plural(total, "position"))), bar, list);
}

/** White's and Black's wins by moves, for the side to move that the chart is about. */
function bins(turn) {
    const histogram = shown.stats.histograms?.[metric()]?.[tableSide(turn)];
    if (!histogram) return null;
    const lists = (verdicts) => byMoves(verdicts.map((verdict) => histogram[verdict] || []));
    const [own, others] = [lists(["win", "cursed_win"]), lists(["loss", "blessed_loss"])];
    return turn === "white" ? { up: own, down: others } : { up: others, down: own };
}

function chartData(turn) {
    const found = bins(turn);
    if (!found || found.up.length + found.down.length === 0) return null;
    const word = METRICS[metric()].name;
    const probe = answer();
    const plies = probe && probe.turn === turn && probe.state === "ongoing" && !state.hide ? distanceHere() : null;
    const winner = probe && winnerOf(probe.verdict, probe.turn);
    const here = plies === null || !winner ? null : movesOf(plies);
    const hereWords = here === null ? "" : rankWords(winner === "white" ? found.up : found.down, here, sideName(winner), word);
    return { ...found, word, here, hereWords };
}

function showChart() {
    const box = $("chart");
    if (!box || !shown) return;
    const turn = side || (state.position.turn === "w" ? "white" : "black");
    for (const button of box.closest(".spread").querySelectorAll("[data-side]")) button.setAttribute("aria-pressed", String(button.dataset.side === turn));
    $("chart-title").textContent = `Moves to ${METRICS[metric()].name.toLowerCase()}`;
    const data = chartData(turn);
    if (data) return drawChart(box, data, logarithmic);
    const counted = shown.stats.histograms[metric()];
    const missing = answer()?.unknown.some((entry) => entry.metric === metric() && entry.code === "no_table");
    const text = counted ? `With ${sideName(turn)} to move, all of ${shown.name} is drawn.`
        : missing ? `${shown.name}.${metric()}.treb is not installed.` : `The spread of the distances of ${shown.name} is not known here.`;
    box.replaceChildren(h("p", { class: "hint" }, text));
}

function spread() {
    const choose = (name) => h("button", { type: "button", class: "segment", "data-side": name, "aria-pressed": "false", onclick: () => ((side = name), showChart()) }, sideName(name));
    const scale = h("button", { type: "button", class: "segment scale", "aria-pressed": String(logarithmic), title: "Logarithmic scale: rare distances are seen, too",
        onclick: () => ((logarithmic = !logarithmic), scale.setAttribute("aria-pressed", String(logarithmic)), showChart()) }, "log");
    return h("div", { class: "spread" },
        h("div", { class: "spread-head" }, h("h3", { id: "chart-title" }), h("div", { class: "segments", role: "group", "aria-label": "To move" }, choose("white"), choose("black")), scale),
        h("div", { id: "chart", class: "chart-box" }));
}

function longestList() {
    const entries = shown.stats.longest.filter((entry) => entry.metric === metric() && entry.fen).sort((a, b) => b.plies - a.plies);
    if (entries.length === 0) return null;
    return h("div", { class: "longest" }, h("h3", {}, "Longest wins"), h("ul", {}, ...entries.map((entry) => {
        const position = asOnBoard(entry.fen, shown.swapped);
        const turn = position.turn === "w" ? "white" : "black";
        const winner = sideName(winnerOf(entry.verdict, turn));
        const late = /_/.test(entry.verdict) ? ", too late for the 50-move rule" : "";
        return h("li", {}, h("button", { type: "button", class: "longest-win", "data-fen": formatFen(position), onclick: () => showPosition(position, "push", { setup: false }) },
            h("b", {}, inMoves(entry.plies)), h("span", {}, `${winner} wins, ${sideName(turn)} to move${late}`)));
    })));
}

/** The longest win of an ending, to start from; null if it has none. */
function longestOf(stats) {
    const entries = stats.longest.filter(({ fen }) => fen);
    const best = (name) => entries.filter((entry) => entry.metric === name).sort((a, b) => b.plies - a.plies)[0];
    return best(metric()) || best("dtm") || entries[0] || null;
}

/** Goes to an ending, at its longest win. */
async function visit(name, swapped) {
    try {
        const found = longestOf(await api.stats(name));
        if (!found) return toast(`${name} is always drawn`);
        showPosition(asOnBoard(found.fen, swapped), "push", { setup: false });
    } catch (error) {
        toast(error.code === "no_table" ? `${name} is not installed: trebuchet gen ${name}` : error.message);
    }
}

function children() {
    const groups = [["promotion", "by promotion"], ["capture", "by capture"]];
    const chip = ({ material, installed }) => h("button", {
        type: "button", class: "chip", "data-material": material, "aria-disabled": installed ? null : "true",
        title: installed ? `Go to the longest win of ${material}` : `Not installed: trebuchet gen ${material}`, onclick: () => visit(material, shown.swapped),
    }, material);
    const rows = groups.map(([by, words]) => [words, shown.stats.children.filter((child) => child.by === by)]).filter(([, list]) => list.length > 0);
    if (rows.length === 0) return null;
    return h("div", { class: "children" }, h("h3", {}, "Leads to"), ...rows.map(([words, list]) => h("p", { class: "chips-row" }, h("span", { class: "by" }, words), ...list.map(chip))));
}

function showStats() {
    const { name, swapped, stats } = shown;
    $("material").replaceChildren(title(name, swapped), ...(stats.counts ? [shares("white"), shares("black")] : []), ...[stats.histograms && spread(), longestList(), children()].filter(Boolean));
    showChart();
}

async function follow(name) {
    const number = ++asked;
    const swapped = isSwapped(name);
    try {
        const stats = await api.stats(name);
        if (number !== asked) return;
        side = null;
        shown = { name, swapped, stats };
        showStats();
    } catch (error) {
        if (number !== asked) return;
        shown = null;
        const text = error.code === "no_table" ? `The tables of ${name} are not installed.` : error.message;
        $("material").replaceChildren(title(name, swapped), h("p", { class: "hint" }, text));
    }
}

function showNothing() {
    const { code } = state.error;
    asked++;
    shown = null;
    document.querySelector(".material").hidden = code !== "no_table" && code !== "offline";
    if (code !== "no_table") return;
    const { name, swapped } = materialOf(state.position);
    $("material").replaceChildren(title(name, swapped), h("p", { class: "hint" }, `Without its tables there is nothing to tell of ${name} as a whole.`));
}

function render(patch) {
    if (state.error) return void ("error" in patch && showNothing());
    if (!("probe" in patch || "error" in patch || "metric" in patch || "hide" in patch)) return;
    const probe = answer();
    if (!probe) return;
    document.querySelector(".material").hidden = !probe.material; // bare kings have none
    if (!probe.material) return void (shown = null);
    if (!shown || shown.name !== probe.material || shown.swapped !== isSwapped(probe.material)) return void follow(probe.material);
    if ("metric" in patch || ("probe" in patch && shown.metric !== metric())) {
        shown.metric = metric();
        showStats();
    } else showChart();
}

async function fillEndings() {
    if ($("endings").childElementCount > 0) return;
    const { tables } = await api.tables().catch(() => ({ tables: [] }));
    $("endings").replaceChildren(...tables.map(({ material }) => h("option", { value: material })));
}

export function startMaterial() {
    onChange(render);
    let width = 0;
    new ResizeObserver(([entry]) => {
        if (Math.abs(entry.contentRect.width - width) < 2) return;
        width = entry.contentRect.width;
        showChart();
    }).observe($("material"));
    const field = $("ending");
    field.addEventListener("focus", fillEndings);
    const go = () => {
        const name = field.value.trim().toUpperCase().replace("V", "v");
        if (/^K[QRBNP]*vK[QRBNP]*$/.test(name)) visit(name, false).then(() => (field.value = ""));
        else if (name) toast("An ending is written like KRPvKR");
    };
    field.addEventListener("change", go);
    // A choice from the list is made at once; typing is not done before Enter.
    field.addEventListener("input", (event) => event.inputType === "insertReplacementText" && go());
}
