// The verdict, the distances and the list of moves.

import * as api from "./api.js";
import { $, copy, h, keepingFocus } from "./dom.js";
import { settle } from "./fen.js";
import { currentFen, lastMove } from "./game.js";
import { faultOf } from "./games.js";
import { isBlocked, makeCommand, ownMachine } from "./blocked.js";
import {
    METRICS,
    groupMoves,
    inMoves,
    moveWords,
    movesOf,
    pliesWords,
    sideName,
    verdictNote,
    verdictSentence,
} from "./words.js";
import { isSolvable, solver } from "./solve.js";
import { answer, askAgain, chooseMetric, hidden, metric, onChange, showPosition, state } from "./session.js";
import { playOwn } from "./play.js";

const TITLES = {
    damaged: "A table file is damaged",
    bad_position: "Not a legal position yet",
    bad_fen: "Not a legal position yet",
    offline: "The server does not answer",
    time_up: "No answer in time",
};

function commandRow(command, after = "") {
    const button = h(
        "button",
        { type: "button", class: "button small", onclick: () => copy(command, "Command") },
        "Copy",
    );
    return h("p", { class: "command" }, h("code", {}, command), button, after);
}

/** The server's advice: "COMMAND makes it: what it takes", with a button to copy the command. */
function adviceRow(advice) {
    const [, command, takes] = advice.match(/^'(trebuchet gen [^']+)'\s+(.*)$/) || [];
    return command ? commandRow(command, takes) : h("p", {}, advice);
}

/** Ways to get an answer for an unknown position; may be empty. */
function helpBeyond(probe) {
    const { code } = probe.unknown[0] ?? {};
    if (api.can("blocked") && code !== "castling" && isBlocked(state.position) && ownMachine())
        return [
            h("p", {}, "The pawns are blocked. This command, run next to the folder of tables, makes a table for this position:"),
            commandRow(makeCommand(currentFen(state.game))),
        ];
    if (code === "castling" && probe.material !== null) {
        const drop = () => showPosition(settle(state.position), "push");
        return [
            h("button", { type: "button", class: "button", onclick: drop }, "Look it up without castling rights"),
        ];
    }
    return probe.advice ? [adviceRow(probe.advice)] : [];
}

/** The command that makes tables in the server's first folder, and where to run it. */
function makeTables(directories) {
    const folder = directories.find((place) => !place.includes("://")) ?? "tables";
    const word = /^[\w@%+=:,./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
    const where = folder.startsWith("/") ? "Run it as a user who may write there" : "Run it where the server was started";
    return [
        commandRow(`trebuchet gen --men 4 --tables ${word}`),
        h("p", {}, `${where}, then restart the server (or send it SIGHUP).`),
    ];
}

/** Says so if the server has no tables at all, and offers to solve the position if the server can. */
async function helpFurther(probe) {
    const none = { directories: [], tables: [null], ranks: [], solved: [], solve_seconds: null };
    const { directories, tables, ranks, solved, solve_seconds: solves } = await api.tables().catch(() => none);
    if (answer() !== probe) return;
    const castling = probe.unknown[0]?.code === "castling";
    const solving = solves && !castling && isSolvable(state.position) ? [solver()] : [];
    if (tables.length + ranks.length + solved.length > 0)
        return void (solving.length > 0 && showHelp([...solving, ...helpBeyond(probe)]));
    const owner = [
        h("p", {}, "This command makes the tables of all endings with up to 4 pieces, in less than a minute:"),
        ...makeTables(directories),
    ];
    showHelp([h("p", {}, "This server has no tables yet."), ...(ownMachine() ? owner : []), ...solving]);
}

/** Ways to go on after an error. */
function helpFor({ code, message }) {
    if (code === "offline")
        return [
            h("p", {}, "The page tries again every few seconds. You can still go back to moves that you have seen."),
            h("button", { type: "button", class: "button", onclick: askAgain }, "Try now"),
        ];
    if (/side not to move is in check/.test(message)) {
        const turn = state.position.turn === "w" ? "b" : "w";
        const turned = () => showPosition({ ...settle(state.position), turn, ep: "-" }, "replace");
        const [name, mover] = turn === "w" ? ["White", "Black"] : ["Black", "White"];
        return [
            h("p", {}, `${name} is in check, but it is ${mover}’s move.`),
            h("button", { type: "button", class: "button", onclick: turned }, `Let ${name} move`),
        ];
    }
    return [h("p", {}, message)];
}

function showHelp(parts) {
    const change = () => $("missing").replaceChildren(...parts);
    keepingFocus($("missing"), change, () => $("verdict"));
    $("missing").hidden = parts.length === 0;
}

function showError(error) {
    $("offline").hidden = !(error && error.code === "offline");
    showHelp(error ? helpFor(error) : []);
    if (!error) return;
    $("sentence").textContent = TITLES[error.code] || "No answer";
    $("note").textContent = "";
    document.title = "Trebuchet";
    $("metrics").hidden = true;
    $("moves").replaceChildren();
}

function showVerdict(probe) {
    const { text } = verdictSentence(probe);
    const unseen = hidden() && probe.state === "ongoing";
    // Changed only if the text is new, as screen readers read out every change.
    const sentence = unseen ? `${sideName(probe.turn)} to move` : text;
    if ($("sentence").textContent !== sentence) $("sentence").textContent = sentence;
    $("sentence").classList.toggle("long", sentence.length > 26);
    $("note").textContent = unseen ? "" : verdictNote(probe);
    const beyond = probe.state === "ongoing" && probe.verdict_clock_zero === null && !probe.blocked && !probe.solved;
    showHelp(beyond && !unseen ? helpBeyond(probe) : []);
    if (beyond && !unseen) helpFurther(probe);
    document.title = unseen ? "Trebuchet" : `${text} · ${probe.material || "Trebuchet"}`;
}

function tile(name, probe) {
    const { name: label, long, key } = METRICS[name];
    const plies = probe[key];
    const missing = probe.unknown.find((entry) => entry.metric === name);
    const none = probe.verdict === "draw" || probe.state !== "ongoing";
    const number = none ? "–" : plies == null ? "?" : String(movesOf(plies));
    const unit =
        none || plies == null ? (missing ? "no table" : " ") : movesOf(plies) === 1 ? "move" : "moves";
    const title = missing
        ? [missing.message, missing.code === "no_table" && probe.advice].filter(Boolean).join(". ")
        : plies == null || none
          ? long
          : `${long}: ${pliesWords(probe, name)} (half-moves)`;
    return h(
        "label",
        { class: "tile", title },
        h("input", {
            type: "radio",
            name: "metric",
            value: name,
            checked: name === metric(),
            disabled: Boolean(missing),
            "aria-label": `${label}: ${none ? "none" : `${number} ${unit}`}`,
        }),
        h("span", { class: "tile-label" }, label),
        h("span", { class: "tile-number" }, number),
        h("span", { class: "tile-unit" }, unit),
        h("span", { class: "tile-plies" }, none || plies == null ? "" : pliesWords(probe, name)),
    );
}

function showTiles(probe) {
    const known = probe.verdict_clock_zero !== null;
    $("metrics").hidden = hidden() || probe.state !== "ongoing" || !known;
    const focused = document.activeElement && document.activeElement.name === "metric";
    $("metrics").replaceChildren(
        $("metrics").firstElementChild,
        ...Object.keys(METRICS).map((name) => tile(name, probe)),
    );
    if (focused) $("metrics").querySelector("input:checked")?.focus();
}

function moveRow(move, by, longest) {
    const details = Object.entries(METRICS)
        .map(([metric, { name, key }]) =>
            move[key] == null ? "" : `${name}: ${inMoves(move[key])} (${pliesWords(move, metric)})`,
        )
        .filter(Boolean);
    const quiet = move.verdict === "draw" || move.verdict === null;
    const plies = move[METRICS[by].key];
    const distance =
        quiet || move.checkmate
            ? null
            : h("span", { class: "move-distance" }, plies == null ? "?" : String(movesOf(plies)));
    const rest = quiet
        ? []
        : Object.keys(METRICS)
              .filter((name) => name !== by)
              .map((name) =>
                  h(
                      "span",
                      { class: "move-other" },
                      move[METRICS[name].key] == null ? "" : String(movesOf(move[METRICS[name].key])),
                  ),
              );
    return h(
        "button",
        {
            type: "button",
            class: "move",
            "data-uci": move.uci,
            title: quiet ? null : details.join("\n"),
            "aria-label": `${move.san}, ${moveWords(move, by)}`,
            vars: quiet ? {} : { "--share": longest ? Math.max(0.02, plies / longest) : 0 }, // a line: the length of the way
            onclick: () => playOwn(move),
        },
        h("span", { class: "move-san" }, move.san),
        distance,
        ...rest,
    );
}

function group({ verdict, title, moves }, by) {
    const longest = Math.max(0, ...moves.map((move) => move[METRICS[by].key] || 0));
    const quiet = verdict === "draw" || verdict === null;
    const names = [by, ...Object.keys(METRICS).filter((name) => name !== by)];
    const head = h(
        "div",
        { class: "group-head" },
        h("h2", {}, title),
        h("span", { class: "count" }, String(moves.length)),
        ...(quiet
            ? []
            : names.map((name) =>
                  h(
                      "span",
                      { class: `column ${name === by ? "main" : ""}`, title: METRICS[name].long },
                      METRICS[name].name,
                  ),
              )),
    );
    const rows = h("div", { class: "group-moves" }, ...moves.map((move) => moveRow(move, by, longest)));
    const section = h(
        "section",
        { class: `group tone-${verdict || "plain"} ${quiet ? "chips" : "rows"}` },
        head,
        rows,
    );
    // Phones show only the first of many moves, so that the rest of the page stays within reach.
    if (!quiet && moves.length > 10) {
        const open = () => {
            section.classList.add("open");
            rows.children[8].focus();
        };
        section.append(
            h(
                "button",
                { type: "button", class: "more button small", onclick: open },
                `All ${moves.length} moves`,
            ),
        );
    }
    return section;
}

function showMoves(probe) {
    const by = metric();
    const focused = document.activeElement?.closest?.("#moves [data-uci]")
        ? document.activeElement.dataset.uci
        : null;
    const groups = hidden() ? [] : groupMoves(probe.moves).map((entry) => group(entry, by));
    if (probe.moves.length === 0)
        groups.push(h("p", { class: "hint" }, "The game is over: there are no moves."));
    if (hidden() && probe.moves.length > 0)
        groups.push(
            h(
                "p",
                { class: "hint" },
                "The answers are hidden. Move on the board; the remark above says how good the move was.",
            ),
        );
    $("moves").dataset.by = by;
    $("moves").replaceChildren(...groups);
    if (focused)
        ($("moves").querySelector(`[data-uci="${focused}"]`) || $("moves").querySelector("button"))?.focus();
}

/** The remark on the last move: that of the player's own move, or that of a move in a pasted game. */
function showJudgement() {
    const last = lastMove(state.game);
    const fault = last && !hidden() ? faultOf(last) : "";
    const judgement = state.judgement ?? (fault && { san: last.san, text: fault, tone: "bad" });
    $("judgement").textContent = judgement ? `${judgement.san}: ${judgement.text}` : "";
    $("judgement").dataset.tone = judgement ? judgement.tone : "";
}

function render(patch) {
    if ("position" in patch) {
        const white = state.position.turn === "w";
        $("to-move").className = `to-move ${white ? "white" : "black"}`;
        $("to-move").textContent = `${white ? "White" : "Black"} to move`;
    }
    if ("judgement" in patch || "game" in patch) showJudgement();
    document.querySelector(".answer").setAttribute("aria-busy", String(!state.error && !answer()));
    if ("error" in patch) showError(state.error);
    const probe = answer();
    if (probe && ("probe" in patch || "hide" in patch || "drill" in patch || "metric" in patch || "error" in patch)) {
        showVerdict(probe);
        showTiles(probe);
        showMoves(probe);
    }
}

/** `point(uci or null)` shows a move on the board. */
export function startAnswer(point) {
    onChange(render);
    $("metrics").addEventListener("change", (event) => chooseMetric(event.target.value));
    const pointed = (event) => point(event.target.closest?.("[data-uci]")?.dataset.uci || null);
    for (const type of ["pointerover", "focusin"]) $("moves").addEventListener(type, pointed);
    for (const type of ["pointerleave", "focusout"]) $("moves").addEventListener(type, () => point(null));
    $("retry").addEventListener("click", askAgain);
}
