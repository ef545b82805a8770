// The list of endings, the examples, and the field that goes to an ending by its name.

import * as api from "./api.js";
import { $, closeBeside, h, toast } from "./dom.js";
import { asOnBoard, longestOf } from "./ending.js";
import { byKind, endingName, isNamed } from "./endingname.js";
import { formatFen, parseFen } from "./fen.js";
import { canLookUp, installed } from "./installed.js";
import { inWords, miniBoard } from "./mini.js";
import { pawnsOf, positionAmong } from "./blocked.js";
import { SAMPLES } from "./samples.js";
import { metric, showPosition } from "./session.js";

const go = (position) => showPosition(position, "push", { setup: false });

/** Goes to the longest win of an ending or, if it has no wins, to a random position. */
export async function visit(text, swapped) {
    try {
        const stats = await api.stats(text);
        const fen = longestOf(stats, metric())?.fen ?? (await api.random(stats.material)).fen;
        go(asOnBoard(fen, swapped));
        return true;
    } catch (error) {
        toast([error.message, error.advice].filter(Boolean).join(" "));
        return false;
    }
}

/** An entry of the dialog with a small board: closes the dialog and goes there. */
const thumb = (position, caption, chosen, attributes = {}) =>
    h(
        "li",
        {},
        h(
            "button",
            { type: "button", class: "thumb", onclick: () => ($("browse").close(), chosen()), ...attributes },
            miniBoard(position),
            h("span", { class: "thumb-caption" }, caption),
            h("span", { class: "offscreen" }, `. ${inWords(position)}`),
        ),
    );

const chip = (text, data, chosen) =>
    h("button", { type: "button", class: "chip", ...data, onclick: () => ($("browse").close(), chosen()) }, text);

function showDialog(title, parts) {
    const close = h("button", { type: "button", class: "button small", onclick: () => $("browse").close() }, "Close");
    $("browse").replaceChildren(h("div", { class: "card-head" }, h("h2", { id: "browse-title" }, title), close), ...parts);
    $("browse").showModal();
}

/** Pawn structures that have files. */
function structures(title, names) {
    const named = (pawns) => [pawns.map((squares) => squares.join(" ")).join(" – "), pawns];
    const all = new Map(names.map(pawnsOf).filter(Boolean).map(named));
    const chips = [...all].map(([text, pawns]) => chip(text, { "data-pawns": text }, () => go(positionAmong(pawns))));
    return chips.length > 0 ? [h("h3", {}, title), h("p", { class: "chips-row" }, ...chips)] : [];
}

/** One kind of endings: small boards of those whose longest win is known, the others by name. */
function kind({ title, endings }) {
    const pictured = endings.filter((ending) => longestOf(ending, metric()));
    const others = endings.filter((ending) => !pictured.includes(ending));
    const visitIt = ({ material }) => () => visit(material, false);
    const boards = pictured.map((ending) =>
        thumb(parseFen(longestOf(ending, metric()).fen), ending.material, visitIt(ending), { "data-ending": ending.material }),
    );
    const chips = others.map((ending) => chip(ending.material, { "data-ending": ending.material }, visitIt(ending)));
    return [
        h("h3", {}, title),
        boards.length > 0 && h("ul", { class: "gallery endings" }, ...boards),
        chips.length > 0 && h("p", { class: "chips-row" }, ...chips),
    ].filter(Boolean);
}

/** Shows all installed endings, by kind, and pawn structures. */
export async function browse() {
    const { tables, ranks, solved } = await installed();
    const parts = [
        ...byKind(tables).flatMap(kind),
        ...structures("Blocked pawns", ranks),
        ...structures("Solved pawn endings", solved),
    ];
    if (parts.length === 0) parts.push(h("p", { class: "hint" }, "No tables are installed here."));
    showDialog("Endings", parts);
}

/** Shows the examples; those that no table here covers are grey. */
async function browseExamples() {
    const tables = await installed();
    const boards = SAMPLES.map(({ name, fen }) => {
        const position = parseFen(fen);
        const known = canLookUp(tables, position);
        const caption = known ? name : `${name} – no table here`;
        return thumb(position, caption, () => go(position), { "data-fen": formatFen(position), disabled: !known });
    });
    showDialog("Examples", [h("ul", { class: "gallery" }, ...boards)]);
}

/** The ending or the example that a text names. */
async function goTo(text) {
    const name = endingName(text);
    const sample = name === text && SAMPLES.find((entry) => isNamed(entry.name, text));
    if (!sample) return visit(name, false);
    go(parseFen(sample.fen));
    return true;
}

async function fillEndings() {
    if ($("endings").childElementCount > 0) return;
    const { tables } = await installed();
    $("endings").replaceChildren(...tables.map(({ material }) => h("option", { value: material })));
}

export function startBrowse() {
    closeBeside($("browse"));
    $("browse-open").addEventListener("click", browse);
    $("samples").addEventListener("click", browseExamples);
    const field = $("ending");
    field.addEventListener("focus", fillEndings);
    const chosen = async () => {
        const text = field.value.trim();
        if (text && (await goTo(text))) field.value = "";
    };
    field.addEventListener("change", chosen);
    // A choice from the list acts at once; typed text waits for Enter.
    field.addEventListener("input", (event) => event.inputType === "insertReplacementText" && chosen());
}
