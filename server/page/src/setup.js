// Setting up positions: the tray of men, the FEN field, and the tools that change the whole position.

import { $, h, keepingFocus, manName, manPicture, s } from "./dom.js";
import {
    EMPTY,
    epSquares,
    formatFen,
    indexOf,
    mirrorFiles,
    parseFen,
    possibleCastling,
    swapColours,
    withMan,
    withPossibleRights,
} from "./fen.js";
import { currentFen } from "./game.js";
import { onChange, showPosition, state, update } from "./session.js";

let brush = null; // the man that a tap on the board puts down; "" removes a man

export const currentBrush = () => (state.setup ? brush : null);
/** Chooses the man to put down; null for none. */
export function setBrush(man) {
    brush = man;
    for (const button of document.querySelectorAll(".tray [data-man]"))
        button.setAttribute("aria-pressed", String(button.dataset.man === man));
}

/** Changes the position on the board by hand. */
export const edit = (position) => showPosition({ ...withPossibleRights(position), fullmove: 1 }, "edit");

export function putMan(square, man) {
    edit(withMan(state.position, square, man));
}

let undone = []; // the positions before each change, while setting up
let last = ""; // the position on the board

function undo() {
    const fen = undone.pop();
    if (fen === undefined) return;
    last = fen; // so that this change is not one to undo
    edit(parseFen(fen));
}

/** Remembers the position that a change replaces. */
function noteChange() {
    const now = formatFen(state.position);
    if (state.setup && last !== "" && last !== now) undone.push(last);
    if (!state.setup) undone = [];
    last = now;
    keepingFocus($("undo").parentNode, () => ($("undo").disabled = undone.length === 0), () => $("done"));
}

/** Puts the chosen man back or, if none is chosen, ends setting up. False if nothing was to be done. */
export function escapeSetup() {
    if (!state.setup) return false;
    if (brush !== null) setBrush(null);
    else finish();
    return true;
}

/** Removes the man on a square. */
export const removeMan = (square) => state.position.men[indexOf(square)] && putMan(square, "");

function finish() {
    update({ setup: false });
    $("set-up").focus();
}

function spare(man) {
    const label = man ? manName(man) : "Remove pieces";
    const picture = man
        ? manPicture(man)
        : s("svg", { class: "icon", "aria-hidden": "true" }, s("use", { href: "#i-trash" }));
    return h(
        "button",
        {
            type: "button",
            class: "spare",
            "data-man": man,
            "aria-pressed": "false",
            title: label,
            "aria-label": label,
        },
        picture,
    );
}

function fillTrays(flipped) {
    const [top, bottom] = flipped ? ["KQRBNP", "kqrbnp"] : ["kqrbnp", "KQRBNP"];
    $("tray-top").replaceChildren(...[...top].map(spare));
    $("tray-bottom").replaceChildren(...[...bottom, ""].map(spare));
    setBrush(brush);
}

const CASTLING = { K: "White O-O", Q: "White O-O-O", k: "Black O-O", q: "Black O-O-O" };

/** Castling that is possible with kings and rooks as they stand, each with a box to tick. */
function showCastling() {
    const { position } = state;
    const possible = possibleCastling(position);
    const choice = (right) =>
        h(
            "label",
            { class: "check" },
            h("input", {
                type: "checkbox",
                "data-right": right,
                checked: position.castling.includes(right),
                onchange: (event) =>
                    edit({ ...position, castling: event.target.checked ? position.castling + right : position.castling.replace(right, "") }),
            }),
            CASTLING[right],
        );
    const focused = document.activeElement?.dataset?.right;
    $("castling").hidden = possible === "";
    $("castling").replaceChildren($("castling").firstElementChild, ...[...possible].map(choice));
    if (focused) $("castling").querySelector(`[data-right="${focused}"]`)?.focus();
}

function showFields() {
    const { position } = state;
    document.querySelector(`input[name="turn"][value="${position.turn}"]`).checked = true;
    const squares = epSquares(position);
    $("en-passant").replaceChildren(
        ...["-", ...squares].map((square) =>
            h(
                "option",
                { value: square, selected: square === position.ep },
                square === "-" ? "none" : square,
            ),
        ),
    );
    $("en-passant").disabled = squares.length === 0;
    showCastling();
    if (document.activeElement !== $("clock")) $("clock").value = position.halfmove;
    if (document.activeElement !== $("fen") || $("fen-error").textContent === "")
        $("fen").value = currentFen(state.game);
    $("lichess").href = `https://lichess.org/analysis/standard/${currentFen(state.game).replaceAll(" ", "_")}`;
}

function fenTyped(final) {
    const text = $("fen").value;
    const box = $("fen-error");
    try {
        const position = parseFen(text);
        const same = formatFen(position) === currentFen(state.game);
        box.textContent = "";
        $("fen").removeAttribute("aria-invalid");
        if (!same && final) showPosition(position, "push", { fenProblem: "" });
    } catch (error) {
        if (final) {
            box.textContent = error.message;
            $("fen").setAttribute("aria-invalid", "true");
        }
    }
}

function showMode() {
    const { setup } = state;
    $("set-up-panel").hidden = !setup;
    $("set-up").setAttribute("aria-pressed", String(setup));
    $("set-up").setAttribute("aria-expanded", String(setup));
    document.body.classList.toggle("setting-up", setup);
    if (!setup) setBrush(null);
}

function render(patch) {
    if ("setup" in patch) showMode();
    if ("setup" in patch || "position" in patch) noteChange();
    if ("position" in patch) {
        $("fen-error").textContent = "";
        $("fen").removeAttribute("aria-invalid");
        showFields();
    }
    if (patch.fenProblem) $("fen-error").textContent = patch.fenProblem;
}

function listenToFields() {
    for (const radio of document.querySelectorAll('input[name="turn"]'))
        radio.addEventListener("change", () => edit({ ...state.position, turn: radio.value, ep: "-" }));
    $("en-passant").addEventListener("change", () =>
        edit({ ...state.position, ep: $("en-passant").value, halfmove: 0 }),
    );
    $("clock").addEventListener("input", () => {
        const clock = Math.trunc(Number($("clock").value));
        if ($("clock").value !== "" && clock >= 0 && clock <= 100)
            edit({ ...state.position, halfmove: clock });
    });
    $("clock").addEventListener("blur", showFields);
    $("fen-form").addEventListener("submit", (event) => {
        event.preventDefault();
        fenTyped(true);
    });
    $("fen").addEventListener("input", () => fenTyped(false));
    $("fen").addEventListener("change", () => fenTyped(true));
    // A pasted position is shown at once.
    $("fen").addEventListener("paste", () => setTimeout(() => fenTyped(true)));
    $("fen").addEventListener("focus", () => $("fen").select());
}

function listenToTools() {
    $("set-up").addEventListener("click", () =>
        update({ setup: !state.setup, playing: false, tablePlays: "none" }),
    );
    $("done").addEventListener("click", finish);
    $("undo").addEventListener("click", undo);
    addEventListener("keydown", (event) => {
        const typing = event.target.closest?.("input[type=text], input[type=number], textarea");
        if (!state.setup || typing || event.key !== "z" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        undo();
    });
    $("mirror").addEventListener("click", () => showPosition(mirrorFiles(state.position), "push"));
    $("swap").addEventListener("click", () => showPosition(swapColours(state.position), "push"));
    $("clear").addEventListener("click", () => edit(parseFen(EMPTY)));
}

export function startSetup(flipped) {
    onChange(render);
    fillTrays(flipped());
    listenToFields();
    listenToTools();
    for (const id of ["tray-top", "tray-bottom"]) {
        $(id).addEventListener("click", (event) => {
            const button = event.target.closest("[data-man]");
            const dragged = button && "dragged" in button.dataset && event.detail > 0;
            if (button && !dragged) setBrush(brush === button.dataset.man ? null : button.dataset.man);
        });
    }
    return { turned: () => fillTrays(flipped()) };
}
