// The corresponding squares of a blocked position: a card beside the board, and marks on it.

import { $, h, manPicture } from "./dom.js";
import { currentFen } from "./game.js";
import {
    bothLose,
    defenderOf,
    isBlocked,
    kingOf,
    makeCommand,
    marksBySquare,
    ownMachine,
    squaresRule,
    structureOf,
    zugzwangHere,
} from "./ranks.js";
import { answer, askSquares, chooseAttacker, hidden, onChange, state, update } from "./session.js";

let board;

/** Whether there is something to show, or to ask for: not while the answers are hidden, or where there is none. */
const wanted = () =>
    isBlocked(state.position) &&
    !hidden() &&
    !state.setup &&
    !state.error &&
    answer()?.verdict_clock_zero !== null;

/** The ranks, if they are of the pawns on the board. */
const shown = () => (wanted() && state.ranksOf === structureOf(state.position) ? state.ranks : null);

const chip = (kind, number, mark) =>
    h("span", { class: `chip-mark ${kind} group-${number % 12}`, "aria-hidden": "true" }, mark);

/** One group in words, for eyes and for screen readers alike. */
function groupRow(group, number, ranks) {
    const side = (name, kind, squares) =>
        h(
            "span",
            { class: "squares-side" },
            manPicture(kingOf(name)),
            h("span", { class: "offscreen" }, `${name === "white" ? "White" : "Black"}: `),
            chip(kind, number, group.mark),
            h("span", {}, squares.join(", ")),
        );
    return h(
        "li",
        {},
        side(ranks.attacker, "filled", group.attacker),
        h("span", { class: "offscreen" }, "; "),
        side(defenderOf(ranks), "ringed", group.defender),
    );
}

/** Before the server was asked, or without a file: only how to get there. */
function showEmpty() {
    const none = state.squares && state.ranksError && state.ranksFen === currentFen(state.game);
    const known = none && state.ranksError.code === "no_table";
    $("squares-rule").textContent = !none
        ? ""
        : known
          ? `There is no table of these blocked pawns.${ownMachine() ? ` This command makes one: ${makeCommand(state.ranksFen)}` : ""}`
          : state.ranksError.message;
    for (const id of ["squares-list", "squares-both", "squares-here"]) $(id).replaceChildren();
}

function showCard(ranks) {
    $("squares").hidden = !wanted();
    const word = state.squares ? "Hide" : "Show";
    $("squares-toggle").textContent = word;
    $("squares-toggle").setAttribute("aria-label", `${word} corresponding squares on the board`);
    $("squares-toggle").classList.toggle("primary", state.squares);
    $("squares-attacker").hidden = !ranks;
    $("squares-toggle").disabled = ranks !== null && ranks.groups.length === 0;
    if (!ranks) return showEmpty();
    const fresh = state.ranksFen === currentFen(state.game);
    for (const input of document.querySelectorAll('input[name="attacker"]'))
        input.checked = input.value === ranks.attacker;
    $("squares-rule").textContent = squaresRule(ranks);
    $("squares-list").replaceChildren(
        ...ranks.groups.map((group, number) => groupRow(group, number, ranks)),
    );
    $("squares-both").textContent = bothLose(ranks);
    const here = fresh ? zugzwangHere(ranks, state.position) : "";
    if ($("squares-here").textContent !== here) $("squares-here").textContent = here;
}

function render(patch) {
    if (!["position", "probe", "ranks", "hide", "drill", "squares", "setup", "error"].some((name) => name in patch)) return;
    const ranks = shown();
    showCard(ranks);
    board.squares(ranks && state.squares ? marksBySquare(ranks.groups) : {}, state.position);
}

export function startSquares(theBoard) {
    board = theBoard;
    onChange(render);
    $("squares-toggle").addEventListener("click", () => {
        update({ squares: !state.squares });
        if (state.squares && !shown()) askSquares();
    });
    $("squares-attacker").addEventListener("change", (event) => chooseAttacker(event.target.value));
}
