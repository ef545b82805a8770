// Pasted games: the server reads them and judges each move; the page steps through them.

import * as api from "./api.js";
import { $, closeBeside, h, toast } from "./dom.js";
import { plural, sentence } from "./words.js";
import { gameOf, goTo } from "./game.js";
import { show, update } from "./session.js";

export const GLYPHS = { blunder: "??", cursed: "?", dubious: "?!" };

/** What was wrong with a move, as a sentence; "" if no fault is known. */
export function faultOf({ judgement, best, verdict_before: before }) {
    if (!judgement) return "";
    const instead = best ? ` ${best.san} was better.` : "";
    if (judgement === "dubious") return `Still a draw by the 50-move rule.${instead}`;
    if (judgement === "cursed") return `The result changes only by the 50-move rule.${instead}`;
    return `${before === "win" ? "Throws away the win." : "Loses a drawn game."}${instead}`;
}

/** Whether a text is a game and not a position: it has numbered moves, or tags. */
export const looksLikeGames = (text) =>
    /^\s*\[[A-Z]\w* "/.test(text) ? /\]\s*[^[\s]/.test(text) : /(^|\s)\d+\.+\s*[KQRBNOa-h0]/.test(text);

/** The move at which a game is opened: its first blunder, or else the first position that a table knows. */
export function openingMove({ verdict, moves }) {
    const blunder = moves.findIndex(({ judgement }) => judgement === "blunder");
    if (blunder >= 0) return blunder + 1;
    return verdict === null ? 1 + moves.findIndex((move) => move.verdict_after !== null) : 0;
}

function open(game) {
    $("games").close();
    update({ setup: false, drill: null, playing: false, tablePlays: "none" });
    show(goTo(gameOf(game), openingMove(game)), "push");
    const faults = game.moves.map(({ judgement }) => judgement).filter(Boolean);
    const word = faults.every((judgement) => judgement === "blunder") ? "blunder" : "mistake";
    toast(
        game.error
            ? `Read up to the first error. ${sentence(game.error.message)}`
            : faults.length === 0
              ? "No mistakes found in this game"
              : `${plural(faults.length, word)} marked`,
    );
}

function titleOf({ tags, moves, start, error }, index) {
    const players = [tags.White, tags.Black].filter((name) => name && name !== "?").join(" – ");
    const length = start === null ? "" : plural(Math.ceil(moves.length / 2), "move");
    const problem = error && start === null ? sentence(error.message) : "";
    return [players || `Game ${index + 1}`, tags.Date, length, problem].filter(Boolean).join(", ");
}

function choose(games) {
    const rows = games.map((game, index) =>
        h(
            "li",
            {},
            h(
                "button",
                {
                    type: "button",
                    class: "longest-win",
                    disabled: game.start === null,
                    onclick: () => open(game),
                },
                titleOf(game, index),
            ),
        ),
    );
    $("games-list").replaceChildren(...rows);
}

/** Reads a text with games. Opens the only one, or lets the user choose. */
export async function readGames(text) {
    $("games-error").textContent = "";
    try {
        const { games } = await api.games(text);
        const good = games.filter(({ start }) => start !== null);
        if (good.length === 0)
            throw new Error(sentence(games[0]?.error?.message ?? "there is no game in this text"));
        if (games.length === 1) return open(good[0]);
        if (!$("games").open) $("games").showModal();
        choose(games);
    } catch (error) {
        if (!$("games").open) $("games").showModal();
        $("games-error").textContent = error.message;
    }
}

/** Lets games be dropped on the page, and pasted anywhere but into a text field. */
function listen() {
    const typing = (event) => event.target.closest?.("input, textarea, select");
    addEventListener("paste", (event) => {
        const text = event.clipboardData?.getData("text") ?? "";
        if ((typing(event) && event.target.id !== "fen") || !looksLikeGames(text)) return;
        event.preventDefault();
        readGames(text);
    });
    addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
    addEventListener("drop", async (event) => {
        const file = event.dataTransfer?.files[0];
        if (!file) return;
        event.preventDefault();
        readGames(await file.text());
    });
}

export function startGames() {
    listen();
    $("games-open").addEventListener("click", () => {
        $("games-list").replaceChildren();
        $("games-error").textContent = "";
        $("games").showModal();
        $("games-text").focus();
    });
    $("games-close").addEventListener("click", () => $("games").close());
    closeBeside($("games"));
    $("games-read").addEventListener("click", () => readGames($("games-text").value));
    $("games-file").addEventListener("change", async () => {
        const file = $("games-file").files[0];
        if (!file) return;
        $("games-text").value = await file.text();
        $("games-file").value = "";
        readGames($("games-text").value);
    });
}
