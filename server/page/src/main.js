// The main module of the page: starts all parts.

import { $, calmMotion, closeBeside } from "./dom.js";
import { MARK, installSprites, makeBoard } from "./board.js";
import { squareOf } from "./fen.js";
import { lastMove } from "./game.js";
import * as api from "./api.js";
import { startAdvice } from "./advice.js";
import { startAnswer } from "./answer.js";
import { startDrawing } from "./draw.js";
import { startBrowse } from "./browse.js";
import { startDrill } from "./drill.js";
import { startGames } from "./games.js";
import { startHands } from "./hands.js";
import { startMaterial } from "./material.js";
import { inWords } from "./mini.js";
import { startNotation } from "./notation.js";
import { startRules } from "./rules.js";
import { escapeSetup, startSetup } from "./setup.js";
import { startShift } from "./shift.js";
import { startSolve } from "./solve.js";
import { startSquares } from "./squares.js";
import { startTheme } from "./theme.js";
import { startTable, travel } from "./play.js";
import { answer, onChange, start, state, update } from "./session.js";

startTheme();
installSprites();
const board = makeBoard($("board"), calmMotion() ? 0 : 220);

function showBoard() {
    $("board-men").textContent = inWords(state.position);
    board.arrow(null);
    board.show(state.position, true);
    for (const type of [MARK.from, MARK.to]) board.unmark(type);
    const last = lastMove(state.game);
    if (!last || last.uci === "0000") return; // a null move of a pasted game
    board.mark(MARK.from, last.uci.slice(0, 2));
    board.mark(MARK.to, last.uci.slice(2, 4));
}

function showCheck() {
    board.unmark(MARK.check);
    const probe = answer();
    if (!probe || probe.state !== "checkmate") return;
    const king = state.position.men.indexOf(probe.turn === "white" ? "K" : "k");
    board.mark(MARK.check, squareOf(king));
}

/** Shows a legal move as an arrow. */
function point(uci) {
    const move = uci && answer()?.moves.find((entry) => entry.uci === uci);
    if (move) board.arrow(uci.slice(0, 2), uci.slice(2, 4), move.verdict || "plain");
    else board.arrow(null);
}

/** Shows a hint: marks the square that the best move starts from, and the move as an arrow if `uci` is given. */
function hintAt(uci, square) {
    board.mark(MARK.picked, square);
    point(uci);
}

const trays = startSetup(board.flipped);
let turning = false;
async function flip() {
    if (turning) return;
    turning = true;
    await board.turn(board.flipped() ? "w" : "b");
    turning = false;
    trays.turned();
}

const KEYS = {
    ArrowLeft: () => travel("prev"),
    ArrowRight: () => travel("next"),
    Home: () => travel("first"),
    End: () => travel("last"),
    f: flip,
    p: () => $("play").click(),
    e: () => $("set-up").click(),
    d: () => $("drill-start").click(),
    h: () => $("hint")?.click(),
    u: () => $("take-back")?.click(),
    r: () => $("random")?.click(),
    "?": () => $("keys").showModal(),
};

onChange((patch) => {
    if ("position" in patch) showBoard();
    if ("position" in patch || "probe" in patch || "error" in patch) showCheck();
});
startAnswer(point);
startNotation();
startMaterial();
startBrowse();
startHands(board);
startDrawing(board);
if (api.can("blocked")) startSquares(board);
if (api.can("rules")) startRules();
if (api.can("solve")) startSolve();
if (api.can("strategies")) startAdvice();
if (api.can("shift")) startShift();
startDrill(hintAt, (side) => board.flipped() === (side === "white") && flip());
if (api.can("games")) startGames();
startTable();
$("flip").addEventListener("click", flip);
addEventListener("keydown", (event) => {
    const typing = event.target.closest?.(
        "input:not([type=radio]):not([type=checkbox]), select, textarea, dialog, input[type=radio]",
    );
    const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || typing || event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key !== "?")) return;
    // While setting up, letters are men: one typed beside the board must not take the position away.
    if (state.setup && /^[pdhur]$/i.test(event.key)) return;
    event.preventDefault();
    action();
});
addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.target.closest?.("dialog, select, input[type=text]")) escapeSetup();
});
closeBeside($("keys"));
$("keys-close").addEventListener("click", () => $("keys").close());
$("keys-open").addEventListener("click", () => $("keys").showModal());
update({ setup: false });
start();
