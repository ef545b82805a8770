// The moves played, followed by best play from here, and the buttons to step through both.

import { $, copy, h, keepingFocus, toast } from "./dom.js";
import { branchOf, currentFen, endOf, gameOf, nextOf, withoutVariation, written } from "./game.js";
import { GLYPHS, faultOf } from "./games.js";
import { resultOf, writePgn } from "./pgn.js";
import { verdictSentence } from "./words.js";
import { answer, chooseHide, drilling, hidden, link, onChange, show, state, update } from "./session.js";
import { followLine, goToMove, hasNext, travel } from "./play.js";

/** The moves of a game as buttons, variations in parentheses. `kind` is played or best. */
function moveButtons(game, kind, current) {
    const button = ({ move, at }) =>
        h(
            "button",
            {
                type: "button",
                class: `ply ${kind}${move.judgement && !hidden() ? ` fault ${move.judgement}` : ""}`,
                "data-at": at,
                title: hidden() ? null : faultOf(move) || null,
                "aria-current": at === current ? "step" : null,
            },
            move.san,
            move.judgement && !hidden() ? GLYPHS[move.judgement] : null,
        );
    const boxes = [h("span", {})];
    for (const token of written(game)) {
        const box = boxes[boxes.length - 1];
        if (token === "(") {
            const aside = h("span", { class: "aside", role: "group", "aria-label": "Variation" });
            box.append(aside);
            boxes.push(aside);
        } else if (token === ")") boxes.pop();
        else if (token.white || token.fresh)
            box.append(
                h(
                    "span",
                    { class: "full-move" },
                    h("span", { class: `number ${kind}` }, `${token.number}${token.white ? "." : "…"}`),
                    button(token),
                ),
            );
        else box.lastChild.append(button(token));
    }
    return [...boxes[0].childNodes];
}

function showMoves() {
    const { game, line } = state;
    const beyond = nextOf(game) === 0 && !hidden() ? line : [];
    const box = $("notation");
    const parts = moveButtons(game, "played", game.at);
    if (beyond.length > 0)
        parts.push(
            h("span", { class: "best-label" }, "Best play"),
            ...moveButtons(gameOf({ start: currentFen(game), moves: beyond }), "best", -1),
        );
    if (parts.length === 0)
        parts.push(
            h(
                "p",
                { class: "hint" },
                hidden() ? "No moves yet." : "Move on the board, or choose a move from the list.",
            ),
        );
    const find = () => box.querySelector("[aria-current]");
    keepingFocus(box, () => box.replaceChildren(...parts), () => find() ?? box);
    const current = find();
    // Scroll only the box: scrollIntoView would move the whole page on a phone.
    box.scrollTop = current ? Math.max(0, current.offsetTop - box.offsetTop - box.clientHeight / 2) : 0;
    const aside = branchOf(game) !== game.at;
    keepingFocus($("aside"), () => ($("aside").hidden = !aside), () => box);
    $("aside-back").textContent = game.main === undefined ? "Back to the main line" : "Back to the game";
}

/** If the focused button has been disabled, moves the focus to the button for the other direction. */
function passFocus() {
    const { activeElement: focused } = document;
    const back = { first: "next", prev: "next", next: "prev", last: "prev" }[focused?.dataset?.go ?? "last"];
    if (!focused?.disabled || !focused.closest(".transport")) return;
    const button = document.querySelector(`[data-go="${back}"]`);
    (button.disabled ? $("notation") : button).focus();
}

/** Why there is no best play to show. */
export function noPlayWords(probe) {
    if (drilling()) return "No best play during a drill";
    if (!probe) return "No best play: the position has no answer";
    if (probe.state !== "ongoing") return "No best play: the game is over";
    return probe.verdict === "draw" ? "No best play in a draw: each drawing move is as good as another" : "No best play: the position is not known";
}

function showButtons() {
    const { game } = state;
    const atEnd = nextOf(game) === 0;
    const off = (name, value) => (document.querySelector(`[data-go="${name}"]`).disabled = value);
    off("first", game.at === 0);
    off("prev", game.at === 0);
    off("last", atEnd);
    const probe = answer();
    // Until the answer arrives the buttons stay as they are, as a disabled button loses the focus.
    if (probe || state.error) {
        off("next", !hasNext() || (drilling() && atEnd));
        const over = drilling() || !probe || ["draw", null].includes(probe.verdict) || probe.state !== "ongoing";
        $("play").setAttribute("aria-disabled", String(over && atEnd && !state.playing));
        $("play").title = $("play").ariaDisabled === "true" ? noPlayWords(probe) : "Plays the best moves of both sides (P)";
    }
    $("play").setAttribute("aria-pressed", String(state.playing));
    $("play")
        .querySelector("use")
        .setAttribute("href", state.playing ? "#i-pause" : "#i-play");
    $("play").querySelector("span").textContent = state.playing ? "Pause" : "Best play";
    passFocus();
}

/** The game as PGN, with the best play from the position on the board. */
function pgn() {
    const { game, line } = state;
    const probe = answer();
    const best = probe && !hidden() ? line : [];
    const alone = game.moves.length === 0 && best.length > 0;
    const ends = alone
        ? { white: "1-0", black: "0-1" }[verdictSentence(probe).tone] || "1/2-1/2"
        : resultOf(game, game.at === endOf(game, 0) ? probe : null);
    return writePgn({
        game,
        best,
        comment: probe && probe.verdict !== null && !hidden() ? verdictSentence(probe).text : "",
        result: game.result ?? ends,
        site: link(),
    });
}

export function startNotation() {
    onChange((patch) => {
        if (["game", "line", "hide", "drill"].some((name) => name in patch)) showMoves();
        showButtons();
    });
    $("notation").addEventListener("click", (event) => {
        const ply = event.target.closest("[data-at]");
        if (!ply) return;
        const at = Number(ply.dataset.at);
        if (ply.classList.contains("played")) goToMove(at);
        else followLine(at);
    });
    $("aside-back").addEventListener("click", () => goToMove(branchOf(state.game)));
    $("aside-delete").addEventListener("click", () => show(withoutVariation(state.game), "replace", { playing: false }));
    for (const button of document.querySelectorAll("[data-go]"))
        button.addEventListener("click", () => travel(button.dataset.go));
    $("play").addEventListener("click", () => {
        if ($("play").ariaDisabled === "true") return void toast($("play").title);
        update({ playing: !state.playing, tablePlays: "none" });
    });
    $("pace").addEventListener("change", () => update({ pace: Number($("pace").value) }));
    $("table-plays").addEventListener("change", () =>
        update({ tablePlays: $("table-plays").value, playing: false }),
    );
    $("hide").checked = state.hide;
    $("hide").addEventListener("change", () => chooseHide($("hide").checked));
    onChange((patch) => "tablePlays" in patch && ($("table-plays").value = state.tablePlays));
    $("copy-pgn").addEventListener("click", () => copy(pgn(), "PGN"));
    $("copy-fen").addEventListener("click", () => copy(currentFen(state.game), "FEN"));
    $("copy-link").addEventListener("click", () => copy(link(), "Link"));
}
