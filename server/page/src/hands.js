// Input on the board: moving men and setting them up, by dragging, by two taps or by keys.

import { $, announce, closeBeside, h, manName, manPicture } from "./dom.js";
import { FILES, indexOf, movedMan } from "./fen.js";
import { moveWords } from "./words.js";
import { MARK } from "./board.js";
import { enableDrag } from "./drag.js";
import { answer, hidden, metric, onChange, state } from "./session.js";
import { legal, playOwn } from "./play.js";
import { currentBrush, edit, putMan, setBrush } from "./setup.js";

let board;
let picked = null; // the square of the man that is picked up
let cursor = null; // the square of the keyboard cursor, while the keyboard is used
let over = null;

const manAt = (square) => state.position.men[indexOf(square)];
const ownTurn = (man) => man !== "" && (man === man.toUpperCase()) === (state.position.turn === "w");
const canLift = (square) =>
    state.setup
        ? currentBrush() === null
            ? manAt(square)
            : ""
        : ownTurn(manAt(square)) && !state.playing
          ? manAt(square)
          : "";

function markTargets() {
    board.untarget();
    board.unmark(MARK.picked);
    if (!picked) return;
    board.mark(MARK.picked, picked);
    if (state.setup) return;
    const targets = new Map();
    for (const move of legal(picked))
        if (!targets.has(move.uci.slice(2, 4))) targets.set(move.uci.slice(2, 4), move);
    for (const [square, { verdict }] of targets)
        board.target(square, (!hidden() && verdict) || "plain", manAt(square) !== "");
}

function pick(square) {
    picked = square;
    markTargets();
}

/** Asks for the promotion piece; null if none is chosen. */
function choosePromotion(moves) {
    const dialog = $("promotion");
    const man = ({ uci }) => (state.position.turn === "w" ? uci[4].toUpperCase() : uci[4]);
    return new Promise((resolve) => {
        const choice = (move) =>
            h(
                "button",
                {
                    type: "button",
                    class: "spare",
                    "data-promote": move.uci[4],
                    "aria-label": manName(man(move)),
                    onclick: () => (resolve(move), dialog.close()),
                },
                manPicture(man(move)),
                hidden() ? null : h("span", {}, moveWords(move, metric())),
            );
        const order = [..."qrbn"].map((letter) => moves.find(({ uci }) => uci[4] === letter)).filter(Boolean);
        dialog.replaceChildren(
            h("p", {}, "Promote to"),
            h("div", { class: "promote" }, ...order.map(choice)),
        );
        dialog.onclose = () => resolve(null);
        dialog.showModal();
    });
}

async function tryMove(from, to) {
    pick(null);
    const moves = legal(from, to);
    if (moves.length === 0) return false;
    const move = moves.length === 1 ? moves[0] : await choosePromotion(moves);
    if (move) playOwn(move);
    return true;
}

function setUpTap(square) {
    const brush = currentBrush();
    if (brush !== null) putMan(square, brush === manAt(square) ? "" : brush);
    else if (picked && picked !== square) {
        const from = picked;
        pick(null);
        edit(movedMan(state.position, from, square));
    } else pick(picked === square || manAt(square) === "" ? null : square);
}

function tap(square) {
    if (state.setup) return setUpTap(square);
    if (picked && picked !== square && legal(picked, square).length > 0) return void tryMove(picked, square);
    pick(picked !== square && ownTurn(manAt(square)) && !state.playing ? square : null);
}

function drop({ man, from, to }) {
    if (from === null) {
        setBrush(null);
        if (to) putMan(to, man);
    } else if (from === to) pick(null);
    else if (!state.setup) {
        if (to) tryMove(from, to);
        else pick(null);
    } else {
        pick(null);
        if (to) edit(movedMan(state.position, from, to));
        else putMan(from, "");
    }
}

function hover(square) {
    if (square === over) return;
    over = square;
    board.unmark(MARK.over);
    if (square) board.mark(MARK.over, square);
}

/** The square in words, with the man on it. */
function describe(square) {
    const man = manAt(square);
    return `${square}${man ? `, ${manName(man)}` : ""}`;
}

function moveCursor(square) {
    board.unmark(MARK.cursor);
    cursor = square;
    if (!square) return;
    board.mark(MARK.cursor, square);
    announce(describe(square));
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const at = cursor || (board.flipped() ? "e5" : "e4");
    if (step) {
        const turn = board.flipped() ? -1 : 1;
        const clamp = (value) => Math.max(0, Math.min(7, value));
        const file = clamp(FILES.indexOf(at[0]) + turn * step[0]);
        const rank = clamp(at[1] - 1 + turn * step[1]);
        moveCursor(cursor ? FILES[file] + (rank + 1) : at);
    } else if (event.key === "Enter" || event.key === " ") {
        if (!cursor) moveCursor(at);
        tap(at);
        announce(picked ? `${describe(picked)} picked up` : describe(at));
    } else if (event.key === "Escape" && picked) {
        pick(null);
    } else if (state.setup && /^[kqrbnp]$/i.test(event.key)) {
        putMan(at, event.key);
        announce(describe(at));
    } else if (state.setup && /^(Delete|Backspace)$/.test(event.key)) {
        putMan(at, "");
        announce(describe(at));
    } else return;
    event.preventDefault();
    event.stopPropagation();
}

export function startHands(theBoard) {
    board = theBoard;
    enableDrag(board, [$("tray-top"), $("tray-bottom")], {
        manAt: canLift,
        picked: pick,
        over: hover,
        dropped: drop,
        tapped: tap,
    });
    closeBeside($("promotion"));
    board.element.addEventListener("keydown", onKey);
    board.element.addEventListener(
        "focus",
        () =>
            board.element.matches(":focus-visible") && moveCursor(cursor || (board.flipped() ? "e5" : "e4")),
    );
    board.element.addEventListener("blur", () => moveCursor(null));
    onChange((patch) => {
        if ("position" in patch || "setup" in patch) pick(null);
        else if (picked && "probe" in patch && answer()) markTargets();
    });
}
