// Rules of thumb for the ending on the board: what each says of the position, whether it is right here, and how often
// it is right in the whole ending.

import * as api from "./api.js";
import { $, h, keepingFocus } from "./dom.js";
import { asOnBoard } from "./ending.js";
import { currentFen } from "./game.js";
import { isCovered } from "./installed.js";
import { gallery } from "./mini.js";
import { CLAIMS, claimWords, figuresWords, isStatement, percent, plural, ruleText, ruleTitle } from "./words.js";
import { answer, hidden, onChange, showPosition, state } from "./session.js";

const without = new Set(); // endings without a rule
const open = new Set(); // rules whose text is shown
let asked = 0;
let shownFen = "";

const isRight = ({ right }) => (right === null ? "silent" : right ? "right" : "wrong");
const MARKS = { right: "✓", wrong: "✗", silent: "–" };

/** "White wins: outside the square". */
const sayingWords = (rule, turn) =>
    rule.says === null
        ? "says nothing here"
        : `${claimWords(rule.says, turn)}${rule.ground ? `: ${rule.ground}` : ""}`;

/** A table of what a rule says, and how often it is right. */
function figuresTable({ sayings }) {
    const cell = (text) => h("td", {}, text);
    const row = ({ says, ground, positions, wrong }) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, CLAIMS[says], ground ? h("span", { class: "ground" }, ground) : ""),
            cell(positions.toLocaleString("en")),
            cell(percent(positions - wrong, positions)),
        );
    const head = (text) => h("th", { scope: "col" }, text);
    const first = sayings.every(({ says }) => isStatement(says)) ? "The statement" : "For the side to move";
    return h(
        "table",
        { class: "figures" },
        h("thead", {}, h("tr", {}, head(first), head("Positions"), head("Right"))),
        h("tbody", {}, ...sayings.map(row)),
    );
}

/** Positions where a rule is wrong. */
function examples({ sayings }, swapped) {
    const entries = sayings.flatMap(({ says, examples: wrong }) =>
        wrong.map(({ fen, verdict }) => {
            const position = asOnBoard(fen, swapped);
            const is = claimWords(verdict, position.turn === "w" ? "white" : "black");
            if (isStatement(says)) return { position, caption: is };
            return { position, caption: `Called ${CLAIMS[says].toLowerCase()}, but ${is === "a draw" ? "drawn" : is}` };
        }),
    );
    if (entries.length === 0) return null;
    const go = (position) => showPosition(position, "push", { setup: false });
    return h("div", {}, h("h3", {}, "Where it is wrong"), gallery(entries, 4, go));
}

function ruleItem(rule, { material, swapped }, turn) {
    const kind = isRight(rule);
    const { figures } = rule;
    const parts = [
        ...ruleText(rule.about).map((text) => h("p", { class: "rule-text" }, text)),
        figures && h("p", { class: "rule-text" }, figuresWords(figures, material)),
        figures && figures.sayings.length > 0 && figuresTable(figures),
        figures && examples(figures, swapped),
    ];
    const details = h(
        "details",
        { class: `rule ${kind}`, "data-rule": rule.rule, open: open.has(rule.rule) },
        h(
            "summary",
            {},
            h("span", { class: "rule-mark", "aria-hidden": "true" }, MARKS[kind]),
            h(
                "span",
                { class: "rule-head" },
                h("b", {}, ruleTitle(rule.about)),
                h("span", { class: "offscreen" }, ": "),
                h("span", { class: "rule-says" }, sayingWords(rule, turn)),
                kind === "silent" || isStatement(rule.says) ? "" : h("span", { class: "rule-verdict" }, kind === "right" ? "right" : "wrong here"),
            ),
        ),
        h("div", { class: "rule-body" }, ...parts.filter(Boolean)),
    );
    details.addEventListener("toggle", () => open[details.open ? "add" : "delete"](rule.rule));
    return h("li", {}, details);
}

const ORDER = ["wrong", "right", "silent"];

/** The rules that say nothing here, folded away. */
function silentItem(items) {
    const details = h(
        "details",
        { class: "silent-rules", open: open.has("silent") },
        h("summary", {}, `${plural(items.length, "rule")} ${items.length === 1 ? "says" : "say"} nothing here`),
        h("ul", {}, ...items),
    );
    details.addEventListener("toggle", () => open[details.open ? "add" : "delete"]("silent"));
    return h("li", {}, details);
}

function showRules(found) {
    const rules = found ? [...found.rules].sort((a, b) => ORDER.indexOf(isRight(a)) - ORDER.indexOf(isRight(b))) : [];
    const turn = state.position.turn === "w" ? "white" : "black";
    const box = $("rules-list");
    $("rules").hidden = rules.length === 0;
    const focused = document.activeElement?.closest?.("[data-rule]")?.dataset.rule;
    keepingFocus(
        box,
        () => {
            const item = (rule) => ruleItem(rule, found, turn);
            const silent = rules.filter((rule) => isRight(rule) === "silent").map(item);
            const speaking = rules.filter((rule) => isRight(rule) !== "silent").map(item);
            box.replaceChildren(...speaking, ...(silent.length > 0 ? [silentItem(silent)] : []));
        },
        () => box.querySelector(`[data-rule="${focused}"] summary`) ?? box.querySelector("summary") ?? $("verdict"),
    );
}

/** The ending whose rules to request; null if there are none, or the answers are hidden. */
function ending() {
    const probe = answer();
    const known = probe && isCovered(probe, state.position) && probe.state !== "insufficient_material";
    if (!known || hidden() || state.setup) return null;
    return without.has(probe.material) ? null : probe.material;
}

async function render(patch) {
    if (!["position", "probe", "error", "hide", "drill", "setup"].some((name) => name in patch)) return;
    const material = ending();
    const fen = currentFen(state.game);
    if (!material) {
        asked++;
        // Until the next answer arrives the old rules stay, so that the page does not jump.
        if (answer() || state.error || hidden() || state.setup) showRules(null), (shownFen = "");
        return;
    }
    if (fen === shownFen) return;
    const number = ++asked;
    const found = await api.rules(fen).catch(() => null);
    if (number !== asked) return;
    if (found && found.rules.length === 0) without.add(material);
    shownFen = fen;
    showRules(found);
}

export const startRules = () => onChange(render);
