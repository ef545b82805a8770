// The corresponding squares of a blocked position: a card beside the board, and marks on it.

import { $, h, manPicture, showTheBoard } from "./dom.js";
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
} from "./blocked.js";
import { answer, askSquares, chooseAttacker, hidden, onChange, state, update } from "./session.js";

let board;

/** Whether the card is shown: the pawns are blocked, there is an answer, and answers are not hidden. */
const wanted = () =>
    isBlocked(state.position) &&
    !hidden() &&
    !state.setup &&
    !state.error &&
    answer()?.verdict_clock_zero !== null;

/** The answer with the corresponding squares, if it is for the pawns on the board. */
const shown = () => (wanted() && state.blockedOf === structureOf(state.position) ? state.blocked : null);

const chip = (kind, number, mark) =>
    h("span", { class: `chip-mark ${kind} group-${number % 12}`, "aria-hidden": "true" }, mark);

/** One group of corresponding squares in words, also for screen readers. */
function groupRow(group, number, blocked) {
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
        side(blocked.attacker, "filled", group.attacker),
        h("span", { class: "offscreen" }, "; "),
        side(defenderOf(blocked), "ringed", group.defender),
    );
}

/** Shows the card without squares: before a request, or if the server has no table. */
function showEmpty() {
    const none = state.squares && state.blockedError && state.blockedFen === currentFen(state.game);
    const known = none && state.blockedError.code === "no_table";
    $("squares-rule").textContent = !none
        ? ""
        : known
          ? `There is no table for these blocked pawns.${ownMachine() ? ` This command makes one: ${makeCommand(state.blockedFen)}` : ""}`
          : state.blockedError.message;
    for (const id of ["squares-list", "squares-both", "squares-here"]) $(id).replaceChildren();
}

function showCard(blocked) {
    $("squares").hidden = !wanted();
    const word = state.squares ? "Hide" : "Show";
    $("squares-toggle").textContent = word;
    $("squares-toggle").setAttribute("aria-label", `${word} corresponding squares on the board`);
    $("squares-toggle").classList.toggle("primary", state.squares);
    $("squares-attacker").hidden = !blocked;
    $("squares-toggle").disabled = blocked !== null && blocked.groups.length === 0;
    if (!blocked) return showEmpty();
    const fresh = state.blockedFen === currentFen(state.game);
    for (const input of document.querySelectorAll('input[name="attacker"]'))
        input.checked = input.value === blocked.attacker;
    $("squares-rule").textContent = squaresRule(blocked);
    $("squares-list").replaceChildren(
        ...blocked.groups.map((group, number) => groupRow(group, number, blocked)),
    );
    $("squares-both").textContent = bothLose(blocked);
    const here = fresh ? zugzwangHere(blocked, state.position) : "";
    if ($("squares-here").textContent !== here) $("squares-here").textContent = here;
}

function render(patch) {
    if (!["position", "probe", "blocked", "hide", "drill", "squares", "setup", "error"].some((name) => name in patch)) return;
    const blocked = shown();
    showCard(blocked);
    board.squares(blocked && state.squares ? marksBySquare(blocked.groups) : {}, state.position);
}

export function startSquares(theBoard) {
    board = theBoard;
    onChange(render);
    $("squares-toggle").addEventListener("click", () => {
        update({ squares: !state.squares });
        if (state.squares) showTheBoard();
        if (state.squares && !shown()) askSquares();
    });
    $("squares-attacker").addEventListener("change", (event) => chooseAttacker(event.target.value));
}
