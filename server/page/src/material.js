// The card of the whole ending: shares of results, distances, longest wins, sub-endings.

import * as api from "./api.js";
import { $, h, keepingFocus, toast } from "./dom.js";
import { browse, visit } from "./browse.js";
import { byMoves, drawChart, rankWords } from "./chart.js";
import { asOnBoard, children, longestList, shares, tableSide, title } from "./ending.js";
import { sideLetters } from "./fen.js";
import { hasEnding, installed, isCovered } from "./installed.js";
import { listOf } from "./lists.js";
import { METRICS, movesOf, sideName, winnerOf } from "./words.js";
import { answer, hidden, metric, onChange, showPosition, state } from "./session.js";
import { distanceHere } from "./play.js";

let shown = null; // {name, swapped, stats} of the ending in the panel
let side = null; // the side to move in the chart; null: as on the board
let logarithmic = true;
let asked = 0;

/** Whether the stronger side, White in the tables, is Black on the board. */
const isSwapped = (name) => name.split("v")[0] !== sideLetters(state.position, true);

/** White's and Black's wins by number of moves, with a side to move. */
function bins(turn) {
    const histogram = shown.stats.histograms?.[metric()]?.[tableSide(shown, turn)];
    if (!histogram) return null;
    const lists = (verdicts) => byMoves(verdicts.map((verdict) => histogram[verdict] || []));
    const [own, others] = [lists(["win", "cursed_win"]), lists(["loss", "blessed_loss"])];
    return turn === "white" ? { up: own, down: others } : { up: others, down: own };
}

/** Goes to a random position of the ending; for `options` see api.random. */
async function goRandom(options = {}) {
    const { name, swapped } = shown;
    try {
        const { fen } = await api.random(name, options);
        showPosition(asOnBoard(fen, swapped), "push", { setup: false });
    } catch (error) {
        toast(error.message);
    }
}

/** Goes to a random position from a bar of the chart. */
function goFromBar(turn, moves, white) {
    const histogram = shown.stats.histograms[metric()][tableSide(shown, turn)];
    const verdicts = white === (turn === "white") ? ["win", "cursed_win"] : ["loss", "blessed_loss"];
    const choices = verdicts.flatMap((verdict) =>
        (histogram[verdict] || [])
            .filter(([plies]) => movesOf(plies) === moves)
            .map(([plies, count]) => ({ verdict, plies, count })),
    );
    let number = Math.random() * choices.reduce((sum, { count }) => sum + count, 0);
    const choice = choices.find(({ count }) => (number -= count) < 0) || choices[0];
    if (!choice) return;
    const { verdict, plies } = choice;
    goRandom({ turn: tableSide(shown, turn), verdict, metric: metric(), plies });
}

function chartData(turn) {
    const found = bins(turn);
    if (!found || found.up.length + found.down.length === 0) return null;
    const word = METRICS[metric()].name;
    const probe = answer();
    const plies =
        probe && probe.turn === turn && probe.state === "ongoing" && !hidden() ? distanceHere() : null;
    const winner = probe && winnerOf(probe.verdict, probe.turn);
    const here = plies === null || !winner ? null : movesOf(plies);
    const hereWords =
        here === null
            ? ""
            : rankWords(winner === "white" ? found.up : found.down, here, sideName(winner), word);
    return { ...found, word, here, hereWords, pick: (moves, white) => goFromBar(turn, moves, white) };
}

function showChart() {
    const box = $("chart");
    if (!box || !shown) return;
    const turn = side || (state.position.turn === "w" ? "white" : "black");
    for (const button of box.closest(".spread").querySelectorAll("[data-side]"))
        button.setAttribute("aria-pressed", String(button.dataset.side === turn));
    $("chart-title").textContent = `Moves to ${METRICS[metric()].name.toLowerCase()}`;
    const data = chartData(turn);
    if (data) return drawChart(box, data, logarithmic);
    const counted = shown.stats.histograms[metric()];
    const missing = answer()?.unknown.some((entry) => entry.metric === metric() && entry.code === "no_table");
    const text = counted
        ? `With ${sideName(turn)} to move, every position of ${shown.name} is a draw.`
        : missing
          ? `The file ${shown.name}.${metric()}.treb is not installed.`
          : `The tables here do not tell how the distances of ${shown.name} are spread.`;
    box.replaceChildren(h("p", { class: "hint" }, text));
}

function spread() {
    const choose = (name) =>
        h(
            "button",
            {
                type: "button",
                class: "segment",
                "data-side": name,
                "aria-pressed": "false",
                onclick: () => ((side = name), showChart()),
            },
            sideName(name),
        );
    const scale = h(
        "button",
        {
            type: "button",
            class: "segment scale",
            "aria-pressed": String(logarithmic),
            title: "Logarithmic scale: shows rare distances too",
            onclick: () => (
                (logarithmic = !logarithmic),
                scale.setAttribute("aria-pressed", String(logarithmic)),
                showChart()
            ),
        },
        "log",
    );
    return h(
        "div",
        { class: "spread" },
        h(
            "div",
            { class: "spread-head" },
            h("h3", { id: "chart-title" }),
            h(
                "div",
                { class: "segments", role: "group", "aria-label": "To move" },
                choose("white"),
                choose("black"),
            ),
            scale,
        ),
        h("div", { id: "chart", class: "chart-box" }),
    );
}

function showStats() {
    const { name, swapped, stats } = shown;
    const go = (position) => showPosition(position, "push", { setup: false });
    const parts = [
        h(
            "div",
            { class: "card-head" },
            title(name, swapped),
            h(
                "button",
                {
                    type: "button",
                    id: "random",
                    class: "button small",
                    title: "A random position of this ending",
                    onclick: () => goRandom(),
                },
                "Random",
            ),
        ),
        stats.counts && shares(shown, "white"),
        stats.counts && shares(shown, "black"),
        stats.histograms && spread(),
        longestList(shown, metric(), go),
        api.can("find") && stats.histograms?.dtm && listOf("longest", shown, go),
        api.can("find") && stats.counts && listOf("zugzwang", shown, go),
        children(shown, (material) => visit(material, swapped)),
    ];
    const change = () => $("material").replaceChildren(...parts.filter(Boolean));
    keepingFocus($("material"), change, () => $("random"));
    showChart();
}

async function follow(name) {
    const number = ++asked;
    const swapped = isSwapped(name);
    try {
        if (!isCovered(answer(), state.position) && !hasEnding(await installed(), name)) throw new api.ApiError("no_table", "");
        const stats = await api.stats(name);
        if (number !== asked) return;
        side = null;
        shown = { name, swapped, stats };
        showStats();
    } catch (error) {
        if (number !== asked) return;
        shown = null;
        const text = error.code === "no_table" ? `The tables for ${name} are not installed.` : error.message;
        const list = h("button", { type: "button", class: "link", onclick: browse }, "Show the installed endings");
        const parts = [title(name, swapped), h("p", { class: "hint none" }, text), h("p", {}, list)];
        keepingFocus($("material"), () => $("material").replaceChildren(...parts), () => list);
    }
}

function showNothing() {
    asked++;
    shown = null;
    document.querySelector(".material").hidden = state.error.code !== "offline";
}

function render(patch) {
    if (state.error) return void ("error" in patch && showNothing());
    if (!("probe" in patch || "error" in patch || "metric" in patch || "hide" in patch || "drill" in patch)) return;
    const probe = answer();
    if (!probe) return;
    document.querySelector(".material").hidden = !probe.material; // bare kings have none
    if (!probe.material) return void (shown = null);
    if (!shown || shown.name !== probe.material || shown.swapped !== isSwapped(probe.material))
        return void follow(probe.material);
    asked++; // ignore answers about another ending that are still to come
    if ("metric" in patch || ("probe" in patch && shown.metric !== metric())) {
        shown.metric = metric();
        showStats();
    } else showChart();
}

export function startMaterial() {
    onChange(render);
    let width = 0;
    new ResizeObserver(([entry]) => {
        if (Math.abs(entry.contentRect.width - width) < 2) return;
        width = entry.contentRect.width;
        showChart();
    }).observe($("material"));
}
