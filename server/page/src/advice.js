// Strategies for the ending on the board: the move that each plays and the piece of advice that it follows. A strategy
// that plays keeps to the tree of moves that it has chosen; at its end the server is asked again.

import * as api from "./api.js";
import { $, h, keepingFocus } from "./dom.js";
import { formatFen, played } from "./fen.js";
import { currentFen, pathTo } from "./game.js";
import { isCovered } from "./installed.js";
import { provenWords, ruleText, ruleTitle } from "./words.js";
import { answer, hidden, onChange, state, update } from "./session.js";

const without = new Set(); // endings without a strategy
const following = new Map(); // by position: the next move in the chosen tree, {strategy, follows, move}
let asked = 0;

/** What a strategy plays in the position on the board: {strategy, follows, move}; null if nothing is known. */
export function advised(name) {
    const fen = currentFen(state.game);
    const chosen = following.get(fen);
    if (chosen && chosen.strategy === name) return chosen;
    if (!state.advice || state.adviceFen !== fen) return null;
    const found = state.advice.find(({ strategy }) => strategy === name);
    return found && found.move ? found : null;
}

/** The move of the strategy that plays, as an entry of the server's legal moves; null if it is not its turn. */
export function advisedMove() {
    const probe = answer();
    const found = state.advisor && probe && advised(state.advisor);
    const move = found && probe.moves.find(({ uci }) => uci === found.move.uci);
    return move ? { ...move, advice: found.follows, tree: found } : null;
}

/** Remembers the tree of a move that is played. */
export function follow({ tree }) {
    if (!following.has(currentFen(state.game))) following.clear();
    const after = played(state.position, tree.move.uci);
    for (const { uci, then } of tree.move.replies)
        if (then)
            following.set(formatFen(played(after, uci)), {
                strategy: tree.strategy,
                follows: tree.follows,
                move: then,
            });
}

/** What a strategy plays here, or why it plays nothing. */
function hereWords(entry) {
    const here = advised(entry.strategy);
    const side = entry.plays === "white" ? "White" : "Black";
    if (here) return [h("b", {}, here.move.san), " – ", h("span", { class: "follows" }, here.follows)];
    const turn = state.position.turn === "w" ? "white" : "black";
    return [turn === entry.plays ? "The method has no advice for this position." : `This method plays ${side}; the other side is to move.`];
}

/** The moves that a strategy has played, the last ones first. */
function log() {
    const moves = pathTo(state.game)
        .map((at) => state.game.moves[at - 1])
        .filter(({ advice }) => advice)
        .slice(-6)
        .reverse();
    return moves.length === 0
        ? null
        : h("ol", { class: "advice-log", "aria-label": "Advice followed, the latest first" },
            ...moves.map(({ san, advice }) => h("li", {}, h("b", {}, san), " – ", advice)));
}

function entryItem(entry) {
    const on = state.advisor === entry.strategy;
    const side = entry.plays === "white" ? "White" : "Black";
    return h(
        "li",
        { class: "strategy", "data-strategy": entry.strategy },
        h("div", { class: "strategy-head" },
            h("b", {}, ruleTitle(entry.about)),
            h(
                "button",
                {
                    type: "button",
                    class: "button small",
                    "aria-pressed": String(on),
                    onclick: () => update({ advisor: on ? null : entry.strategy, playing: false }),
                },
                on ? `Stop playing ${side}` : `Let it play ${side}`,
            ),
        ),
        h("p", { class: "strategy-here", role: "status" }, ...hereWords(entry)),
        log(),
        entry.figures && h("p", { class: "hint" }, provenWords(entry.figures)),
        h("details", {}, h("summary", {}, "The method"), ...ruleText(entry.about).map((text) => h("p", { class: "rule-text" }, text)),
            h("ul", { class: "advice-names" }, ...entry.advice.map((name) => h("li", {}, name)))),
    );
}

function showAdvice() {
    const entries = state.advice ?? [];
    const box = $("advice-list");
    const open = new Set([...box.querySelectorAll("details[open]")].map((e) => e.closest("[data-strategy]").dataset.strategy));
    $("advice").hidden = entries.length === 0;
    keepingFocus(
        box,
        () => {
            box.replaceChildren(...entries.map(entryItem));
            for (const item of box.children) item.querySelector("details").open = open.has(item.dataset.strategy);
        },
        () => box.querySelector("button") ?? $("verdict"),
    );
}

/** The ending whose strategies to request; null if there are none, or the answers are hidden. */
function ending() {
    const probe = answer();
    if (!probe || !isCovered(probe, state.position) || hidden() || state.setup) return null;
    return without.has(probe.material) ? null : probe.material;
}

async function ask() {
    const material = ending();
    const fen = currentFen(state.game);
    const number = ++asked;
    if (!material) {
        // Until the next answer arrives the old advice stays, so that the page does not jump.
        if (answer() || state.error || hidden() || state.setup) update({ advice: null, adviceFen: "", advisor: null });
        return;
    }
    if (state.adviceFen === fen) return;
    const found = await api.strategies(fen).catch(() => null);
    if (number !== asked) return;
    if (found && found.strategies.length === 0) without.add(material);
    const entries = found ? found.strategies : [];
    const stays = entries.some(({ strategy }) => strategy === state.advisor);
    update({ advice: entries, adviceFen: fen, ...(stays ? {} : { advisor: null }) });
}

export function startAdvice() {
    onChange((patch) => {
        if (["position", "probe", "error", "hide", "drill", "setup"].some((name) => name in patch)) ask();
        if (["advice", "advisor", "game", "probe"].some((name) => name in patch)) showAdvice();
    });
}
