// All men of the position, shifted together over the board: the result of each place with either side to move, on two
// small maps. A place is shown on the square of the white king.

import * as api from "./api.js";
import { $, h, s } from "./dom.js";
import { formatFen, parseFen, squareOf } from "./fen.js";
import { currentFen } from "./game.js";
import { isCovered } from "./installed.js";
import { edgeWords, groupWords, placeWords, winnerIn } from "./words.js";
import { answer, hidden, onChange, showPosition, state } from "./session.js";

const CELL = 30;
const LETTERS = { white: "+", black: "−", draw: "=", impossible: "×" };
let wanted = false;
let asked = 0;

const kingOf = ({ men }) => men.indexOf("K");

/** One map: the places with one side to move. `here` is the square of the white king on the board. */
function map(places, turn, here) {
    const svg = s("svg", {
        viewBox: `-1 -1 ${8 * CELL + 2} ${8 * CELL + 2}`,
        class: "shift-map",
        tabindex: 0,
        role: "slider",
        "aria-label": turn === "white" ? "White to move, by the white king’s square" : "Black to move, by the white king’s square",
        "aria-valuemin": 1,
        "aria-valuemax": places.length,
    });
    const corner = (square) => ({ x: CELL * (square % 8), y: CELL * (7 - (square >> 3)) });
    svg.append(s("rect", { width: 8 * CELL, height: 8 * CELL, class: "shift-empty" }));
    let lines = "";
    for (let i = 1; i < 8; i++) lines += `M${i * CELL} 0v${8 * CELL}M0 ${i * CELL}h${8 * CELL}`;
    for (const { square, position, sides } of places) {
        const winner = winnerIn(sides[turn].verdict, turn);
        const { x, y } = corner(square);
        svg.append(
            s(
                "g",
                { class: `shift-cell ${winner}`, "data-fen": formatFen({ ...position, turn: turn[0] }) },
                s("rect", { x, y, width: CELL, height: CELL }),
                s("text", { x: x + CELL / 2, y: y + CELL / 2 + 5, "text-anchor": "middle" }, LETTERS[winner]),
            ),
        );
    }
    svg.append(s("path", { d: lines, class: "shift-lines" }));
    svg.append(s("rect", { ...corner(here), width: CELL, height: CELL, class: "shift-here" }));
    const cursor = s("rect", { width: CELL, height: CELL, class: "shift-cursor", visibility: "hidden" });
    svg.append(cursor);

    const readout = h("p", { class: "hint", "aria-hidden": "true" });
    let at = Math.max(0, places.findIndex(({ square }) => square === here));
    const tell = (index, pointed) => {
        const place = places[index];
        readout.textContent = pointed ? placeWords(squareOf(place.square), place.sides[turn].verdict, turn) : " ";
        svg.setAttribute("aria-valuenow", index + 1);
        svg.setAttribute("aria-valuetext", placeWords(squareOf(place.square), place.sides[turn].verdict, turn));
        cursor.setAttribute("visibility", pointed ? "visible" : "hidden");
        for (const [name, value] of Object.entries(corner(place.square))) cursor.setAttribute(name, value);
    };
    const choose = (index) => {
        const { position, sides } = places[index];
        if (sides[turn].verdict === "impossible") return;
        showPosition({ ...position, turn: turn[0] }, "push", { setup: false });
    };
    const under = (event) => {
        const fen = event.target.closest?.("[data-fen]")?.dataset.fen;
        return fen ? places.findIndex(({ square }) => square === kingOf(parseFen(fen))) : -1;
    };
    svg.addEventListener("pointermove", (event) => {
        const index = under(event);
        tell((at = index < 0 ? at : index), index >= 0);
    });
    svg.addEventListener("pointerleave", () => tell(at, false));
    svg.addEventListener("blur", () => tell(at, false));
    svg.addEventListener("focus", () => tell(at, svg.matches(":focus-visible")));
    svg.addEventListener("click", (event) => under(event) >= 0 && choose(under(event)));
    svg.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 8, ArrowDown: -8 }[event.key];
        if (event.key === "Enter") return choose(at);
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const to = places.findIndex(({ square }) => square === places[at].square + by);
        if (to >= 0 && (Math.abs(by) === 8 || places[to].square >> 3 === places[at].square >> 3)) tell((at = to), true);
    });
    tell(at, false);
    return h(
        "figure",
        { class: "shift-figure" },
        h("figcaption", {}, `${turn === "white" ? "White" : "Black"} to move`),
        svg,
        readout,
    );
}

/** A table of the results, by the edges that the men touch. */
function groupsTable(groups) {
    const head = (text) => h("th", { scope: "col" }, text);
    return h(
        "table",
        { class: "figures" },
        h("thead", {}, h("tr", {}, head("Places"), head("White to move"), head("Black to move"))),
        h(
            "tbody",
            {},
            ...groups.map((group) =>
                h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, edgeWords(group)),
                    h("td", {}, groupWords(group.white, "white")),
                    h("td", {}, groupWords(group.black, "black")),
                ),
            ),
        ),
    );
}

function showMaps(found) {
    const places = found.places.map(({ fen, white, black }) => {
        const position = parseFen(fen);
        return { square: kingOf(position), position, sides: { white, black } };
    });
    const here = kingOf(state.position);
    const focused = [...document.querySelectorAll(".shift-map")].indexOf(document.activeElement);
    $("shift-body").replaceChildren(
        h("div", { class: "shift-maps" }, map(places, "white", here), map(places, "black", here)),
        h("p", { class: "hint" }, "All pieces are shifted together. Each square shows the result with the white king on it: + White wins, = a draw, − Black wins, × not possible. Choose a square to set up that position."),
        groupsTable(found.groups),
    );
    if (focused >= 0) document.querySelectorAll(".shift-map")[focused].focus();
}

const possible = () => {
    const probe = answer();
    return probe && isCovered(probe, state.position) && probe.material && !hidden() && !state.setup;
};

async function ask() {
    const number = ++asked;
    const fen = currentFen(state.game);
    try {
        const found = await api.shift(fen);
        if (number === asked && wanted && possible()) showMaps(found);
    } catch (error) {
        if (number === asked && wanted) $("shift-body").replaceChildren(h("p", { class: "hint" }, error.message));
    }
}

function render(patch) {
    if (!["position", "probe", "error", "hide", "drill", "setup"].some((name) => name in patch)) return;
    if (!answer() && !state.error && !hidden() && !state.setup) return; // wait for the answer, so that nothing jumps
    $("shift").hidden = !possible();
    if (wanted && possible()) ask();
}

export function startShift() {
    onChange(render);
    $("shift-toggle").addEventListener("click", () => {
        wanted = !wanted;
        $("shift-toggle").textContent = wanted ? "Hide" : "Show";
        $("shift-toggle").setAttribute("aria-expanded", String(wanted));
        $("shift-body").replaceChildren();
        if (wanted) ask();
    });
}
