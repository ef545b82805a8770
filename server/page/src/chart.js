// The chart of the distances of an ending: White's wins above the line, Black's below it.

import { h, s } from "./dom.js";
import { movesOf, percent, plural } from "./words.js";

/** Sums lists of [[plies, count], ...] by moves; returns an array indexed by moves. */
export function byMoves(lists) {
    const bins = [];
    for (const [plies, count] of lists.flat()) bins[movesOf(plies)] = (bins[movesOf(plies)] || 0) + count;
    return Array.from(bins, (count) => count || 0);
}

/** The step between ticks, for at most `most` of them. */
export function tickStep(range, most) {
    for (let unit = 1; ; unit *= 10) {
        for (const factor of [1, 2, 5]) if (range / (unit * factor) <= most) return unit * factor;
    }
}

const sum = (bins) => bins.reduce((total, count) => total + count, 0);

/** The content of a bar in words. */
function binWords({ up, down, word }, moves) {
    const parts = [];
    for (const [bins, side] of [
        [up, "White"],
        [down, "Black"],
    ]) {
        const count = bins[moves] || 0;
        if (count > 0)
            parts.push(
                `${side} wins ${plural(count, "position")} (${percent(count, sum(up) + sum(down))} of decided positions)`,
            );
    }
    return `${word} in ${plural(moves, "move")}: ${parts.join(", ") || "no position"}`;
}

function drawBars(svg, bins, { width, x, zero, height, scale, sign, name }) {
    const band = Math.max(1, width - (width > 3 ? 1 : 0));
    let path = "";
    bins.forEach((count, moves) => {
        if (count === 0) return;
        const tall = Math.max(1.5, scale(count) * height);
        path += `M${(x(moves) - band / 2).toFixed(2)} ${zero}h${band.toFixed(2)}v${(-sign * tall).toFixed(2)}h${(-band).toFixed(2)}z`;
    });
    svg.append(s("path", { d: path, class: `bars ${name}` }));
}

/**
 * Draws the chart into `box`. `data` is {up, down, word, here, hereWords, pick}: the numbers of White's and of Black's
 * wins by moves; the name of the distance ("Mate"); the distance of the position on the board in moves, or null, and a
 * sentence about it; and a function pick(moves, white) that is called when a bar is chosen. `logarithmic`: the height
 * of bars is logarithmic.
 */
export function drawChart(box, data, logarithmic) {
    const { up, down, here } = data;
    const last = Math.max(up.length, down.length) - 1;
    const [most, W, H] = [Math.max(...up, ...down, 1), Math.max(200, box.clientWidth), 190];
    const [left, right, axis] = [10, 10, 20];
    const both = sum(up) > 0 && sum(down) > 0;
    const room = H - axis - 22;
    const above = both ? room * 0.58 : sum(up) > 0 ? room : 0;
    const zeroUp = 18 + above;
    const width = (W - left - right) / (last + 1);
    const x = (moves) => left + (moves + 0.5) * width;
    const scale = logarithmic ? (count) => Math.log(1 + count) / Math.log(1 + most) : (count) => count / most;

    const svg = s("svg", {
        viewBox: `0 0 ${W} ${H}`,
        width: W,
        height: H,
        class: "chart",
        tabindex: 0,
        role: "slider",
        "aria-label": `Spread of distances, in moves. ${data.word}`,
        "aria-valuemin": 0,
        "aria-valuemax": last,
    });
    svg.append(s("rect", { x: 0, y: 0, width: W, height: H, rx: 8, class: "plot" }));
    const highlight = s("rect", {
        y: 4,
        height: H - 8,
        width: Math.max(3, width),
        class: "highlight",
        visibility: "hidden",
    });
    svg.append(highlight);
    drawBars(svg, up, { width, x, zero: zeroUp, height: above, scale, sign: 1, name: "white" });
    drawBars(svg, down, {
        width,
        x,
        zero: zeroUp + axis,
        height: room - above,
        scale,
        sign: -1,
        name: "black",
    });
    const step = tickStep(last, Math.max(3, Math.floor(W / 55)));
    for (let moves = 0; moves <= last; moves += step)
        svg.append(
            s("text", { x: x(moves), y: zeroUp + 14, class: "tick", "text-anchor": "middle" }, String(moves)),
        );
    if (here !== null && here <= last) {
        svg.append(
            // The line must not cross the numbers between the bars.
            s("path", { class: "here", d: `M${x(here)} 14V${zeroUp}M${x(here)} ${zeroUp + axis}V${H - 4}` }),
            s("path", { class: "here-head", d: `M${x(here)} 15l-6-9h12z` }),
        );
        svg.dataset.here = here;
    }

    const readout = h("p", { class: "readout", "aria-live": "polite" });
    const rest = here === null ? "Choose a bar to see one of its positions." : data.hereWords;
    let at = here === null ? Math.round(last / 2) : here;
    const tell = (moves) => {
        const text = moves === null ? rest : binWords(data, moves);
        readout.textContent = text;
        highlight.setAttribute("visibility", moves === null ? "hidden" : "visible");
        if (moves !== null) highlight.setAttribute("x", x(moves) - Math.max(3, width) / 2);
        svg.setAttribute("aria-valuenow", moves === null ? at : moves);
        svg.setAttribute("aria-valuetext", text);
    };
    tell(null);
    svg.addEventListener("pointermove", (event) => {
        const moves = Math.floor((event.clientX - svg.getBoundingClientRect().left - left) / width);
        tell(moves >= 0 && moves <= last ? (at = moves) : null);
    });
    /** Whether a bar is White's. If both sides have one, the half at `y` decides. */
    const whose = (moves, y) => {
        const white = Boolean(up[moves]);
        return white && down[moves] ? y < zeroUp + axis / 2 : white;
    };
    const choose = (moves, y) => (up[moves] || down[moves]) && data.pick(moves, whose(moves, y));
    svg.addEventListener("click", (event) => {
        const box = svg.getBoundingClientRect();
        const moves = Math.floor((event.clientX - box.left - left) / width);
        if (moves >= 0 && moves <= last) choose(moves, event.clientY - box.top);
    });
    svg.addEventListener("pointerleave", () => tell(null));
    svg.addEventListener("blur", () => tell(null));
    svg.addEventListener("keydown", (event) => {
        if (event.key === "Enter") choose(at, 0);
        const to = {
            ArrowLeft: at - 1,
            ArrowRight: at + 1,
            Home: 0,
            End: last,
            PageUp: at + 10,
            PageDown: at - 10,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        tell((at = Math.max(0, Math.min(last, to))));
    });
    box.replaceChildren(svg, readout);
}

/** A sentence that compares the distance of a position with those of all wins of the same side. */
export function rankWords(bins, here, side, word) {
    const total = sum(bins);
    const shorter = sum(bins.slice(0, here));
    const same = bins[here] || 0;
    if (total === 0) return "";
    const longest = bins.length - 1;
    if (here === longest)
        return `This position: ${word.toLowerCase()} in ${plural(here, "move")}. No win for ${side} takes longer.`;
    return `This position: ${word.toLowerCase()} in ${plural(here, "move")}. ${percent(total - shorter - same, total)} of ${side}’s wins take longer.`;
}
