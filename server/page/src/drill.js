// A drill: the player wins (or holds) the position against the table, and sees how well it went.

import { $, h, manName, showTheBoard } from "./dom.js";
import { indexOf } from "./fen.js";
import { currentFen, fenAt, goTo, newGame, parentOf, pathTo } from "./game.js";
import { inMoves, movesOf, other, plural, sideName, winnerOf } from "./words.js";
import { answer, onChange, show, state, update } from "./session.js";

const HELD = 25; // own moves after which a draw counts as held

let point; // shows a move on the board
let turnTo; // turns the board so that a side is below

/** The task in a position: {side, goal, best}; null if there is none or the verdict is not known. */
function taskOf(probe) {
    if (!probe || probe.state !== "ongoing" || probe.verdict === null) return null;
    const winner = probe.verdict === "win" || probe.verdict === "loss" ? winnerOf(probe.verdict, probe.turn) : null;
    if (!winner) return { side: probe.turn, goal: "draw", best: null };
    return { side: winner, goal: "win", best: probe.dtm_plies === null ? null : movesOf(probe.dtm_plies) };
}

function begin() {
    const task = taskOf(answer());
    if (!task) return;
    update({
        drill: { ...task, start: currentFen(state.game), from: state.game, hints: 0, back: 0, hint: "", outcome: null },
        tablePlays: other(task.side),
        playing: false,
        setup: false,
    });
    turnTo(task.side);
    show(newGame(currentFen(state.game)), "push");
}

function end() {
    update({ drill: null, tablePlays: "none" });
}

/** Ends the drill at the player's wish, and goes back to the game that it began from, if there was one. */
function leave() {
    const { from } = state.drill;
    end();
    if (from.moves.length > 0) show(from, "push");
}

function restart(extra) {
    const { drill } = state;
    update({ drill: { ...drill, hint: "", outcome: null, ...extra }, tablePlays: other(drill.side) });
}

function again() {
    const { start } = state.drill;
    restart({ hints: 0, back: 0 });
    show(newGame(start), "push");
}

/** Goes back to the position before the player's last move. */
function takeBack() {
    const { game, drill } = state;
    const mine = drill.side === "white" ? "w" : "b";
    let at = parentOf(game, game.at);
    while (at > 0 && fenAt(game, at).split(" ")[1] !== mine) at = parentOf(game, at);
    restart({ back: drill.back + 1 });
    show(goTo(game, at), "replace");
}

/** Shows the man to move; the second time the move itself. */
function hint() {
    const best = state.line[0] ?? answer()?.moves[0];
    if (!best) return;
    const { drill } = state;
    const seen = drill.hint === best.uci.slice(0, 2);
    update({
        drill: {
            ...drill,
            hints: drill.hints + (drill.hint === "" ? 1 : 0),
            hint: seen ? best.uci : best.uci.slice(0, 2),
        },
    });
    point(seen ? best.uci : null, best.uci.slice(0, 2));
    showTheBoard();
}

/** The player's own moves since the start. */
function movesMade() {
    const { game, drill } = state;
    const first = game.start.split(" ")[1] === "w" ? "white" : "black";
    const made = pathTo(game).length;
    return first === drill.side ? Math.ceil(made / 2) : Math.floor(made / 2);
}

/** The outcome of the drill in a position with `moves` own moves made: null while it goes on. */
export function outcomeOf({ side, goal }, probe, moves) {
    const winner = probe.state === "checkmate" ? other(probe.turn) : null;
    if (winner) return winner === side ? "won" : "lost";
    if (probe.state !== "ongoing") return goal === "draw" ? "held" : "slipped";
    const now = ["win", "loss"].includes(probe.verdict) ? winnerOf(probe.verdict, probe.turn) : null;
    if (goal === "win") return now === side ? null : "slipped";
    if (now === other(side)) return "slipped";
    return moves >= HELD ? "held" : null;
}

function words(drill) {
    const made = movesMade();
    const helps = [
        drill.hints > 0 && plural(drill.hints, "hint"),
        drill.back > 0 && `${plural(drill.back, "move")} taken back`,
    ].filter(Boolean);
    const hints = helps.length > 0 ? `, with ${helps.join(" and ")}` : "";
    if (drill.outcome === "won")
        return drill.best === null
            ? `Won in ${plural(made, "move")}${hints}.`
            : made <= drill.best
              ? `Won in ${plural(made, "move")}${hints}: the shortest way.`
              : `Won in ${plural(made, "move")}${hints}. The shortest way takes ${drill.best}.`;
    if (drill.outcome === "held") return `Held${hints}: it is a draw.`;
    if (drill.outcome === "slipped")
        return drill.goal === "win" ? "The win is gone." : "The draw is gone.";
    if (drill.outcome === "lost") return "Lost.";
    const task =
        drill.goal === "win"
            ? `Win as ${sideName(drill.side)}${drill.best === null ? "" : `; the shortest way takes ${inMoves(2 * drill.best)}`}.`
            : `Hold the draw as ${sideName(drill.side)} for ${HELD} moves.`;
    return `${task} ${plural(made, "move")} made${hints}.${hintWords(drill.hint)}`;
}

/** The hint in words, as on a phone the board may be out of view. */
function hintWords(hint) {
    if (hint === "") return "";
    const move = answer()?.moves.find(({ uci }) => uci === hint);
    const man = state.position.men[indexOf(hint)];
    return move ? ` The move is ${move.san}.` : ` Move the ${manName(man).split(" ")[1]} on ${hint}.`;
}

const button = (text, onclick, extra = {}) =>
    h("button", { type: "button", class: "button small", onclick, ...extra }, text);

/** Keeps the focus in the drill: on its first button, or on the box if that is disabled. */
function focusDrill() {
    const first = $("drill").querySelector("button");
    if (!state.drill) $("drill-start").focus();
    else (first.disabled ? $("drill") : first).focus();
}

function render() {
    const { activeElement: focused } = document;
    const within = focused === $("drill-start") || $("drill").contains(focused);
    showDrill();
    if (within) focusDrill();
}

function showDrill() {
    const { drill } = state;
    const box = $("drill");
    box.hidden = !drill;
    $("drill-start").hidden = Boolean(drill);
    $("drill-start").disabled = !drill && !taskOf(answer());
    if (!drill) return;
    const mine = answer()?.turn === drill.side;
    const row = h("div", { class: "row" });
    if (!drill.outcome)
        row.append(button(drill.hint ? "Show the move" : "Hint", hint, { id: "hint", title: "Hint (H)", disabled: !mine }));
    else row.append(button("Try again", again));
    if (!["won", "held"].includes(drill.outcome))
        row.append(button("Take back", takeBack, { id: "take-back", title: "Take the last move back (U)", disabled: movesMade() === 0 }));
    row.append(button("End the drill", leave));
    // The buttons stand above the text, so that they do not move when it changes.
    box.replaceChildren(row, h("p", { role: "status" }, words(drill)));
}

function watch(patch) {
    const { drill } = state;
    if (drill && "game" in patch) {
        if (state.game.start !== drill.start) return void end(); // another position was chosen
        if (drill.hint) update({ drill: { ...drill, hint: "" } });
    }
    const probe = answer();
    if (drill && !drill.outcome && probe && "probe" in patch) {
        const outcome = outcomeOf(drill, probe, movesMade());
        if (outcome) update({ drill: { ...drill, outcome }, tablePlays: "none" });
    }
    if (["drill", "probe", "game", "error", "line"].some((name) => name in patch)) render();
}

/** `pointAt(uci or null, square)` shows a move, or marks a square, on the board; `turn(side)` turns the board. */
export function startDrill(pointAt, turn) {
    point = pointAt;
    turnTo = turn;
    onChange(watch);
    $("drill-start").addEventListener("click", begin);
}
