// The parts of the card of an ending: its men, shares, longest wins and sub-endings. `shown` is
// {name, swapped, stats}; `swapped` means that the side named first is Black on the board.

import { h, manPicture } from "./dom.js";
import { formatFen, parseFen, swapColours } from "./fen.js";
import { inMoves, other, percent, plural, sideName, winnerOf } from "./words.js";

/** The side in the tables that is `turn` on the board. */
export const tableSide = (shown, turn) => (shown.swapped ? other(turn) : turn);

/** A FEN of the tables as a position, with colours exchanged if `swapped`. */
export const asOnBoard = (fen, swapped) => (swapped ? swapColours(parseFen(fen)) : parseFen(fen));
const VERDICTS = ["win", "cursed_win", "draw", "blessed_loss", "loss"];

/** The ending's men and name. */
export function title(name, swapped) {
    const [strong, weak] = name.split("v");
    const [white, black] = swapped ? [weak, strong] : [strong, weak];
    return h(
        "h2",
        { class: "material-title" },
        h(
            "span",
            { class: "men", "aria-hidden": "true" },
            ...[...white].map((man) => manPicture(man)),
            h("i", {}, "v"),
            ...[...black.toLowerCase()].map((man) => manPicture(man)),
        ),
        h("span", { class: "material-name" }, name),
    );
}

/** Shares as White's wins, draws, Black's wins, for one side to move. */
export function shares(shown, turn) {
    const counts = shown.stats.counts[tableSide(shown, turn)];
    const order = turn === "white" ? VERDICTS : [...VERDICTS].reverse();
    const total = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
    const parts = order
        .map((verdict) => ({ verdict, count: counts[verdict], winner: winnerOf(verdict, turn) }))
        .filter(({ count }) => count > 0);
    const name = ({ verdict, winner }) =>
        (verdict === "draw" ? "Draw" : sideName(winner)) +
        (/_/.test(verdict) ? ", without the 50-move rule" : "");
    const kind = ({ verdict, winner }) =>
        verdict === "draw" ? "draw" : `${winner}${/_/.test(verdict) ? " cursed" : ""}`;
    const bar = h(
        "div",
        { class: "share-bar", "aria-hidden": "true" },
        ...parts.map((part) =>
            h("span", {
                class: `share ${kind(part)}`,
                title: `${name(part)}: ${plural(part.count, "position")}`,
                vars: { "--size": part.count / total },
            }),
        ),
    );
    const list = h(
        "ul",
        { class: "share-list" },
        ...parts.map((part) =>
            h(
                "li",
                { title: plural(part.count, "position") },
                h("span", { class: `swatch ${kind(part)}` }),
                `${name(part)} `,
                h("b", {}, percent(part.count, total)),
            ),
        ),
    );
    return h(
        "div",
        { class: "shares", "data-turn": turn },
        h("h3", {}, `${sideName(turn)} to move`, h("span", { class: "count" }, plural(total, "position"))),
        bar,
        list,
    );
}

/** The longest wins by a metric; null if there are none. `go` is called with the chosen position. */
export function longestList(shown, metric, go) {
    const entries = shown.stats.longest
        .filter((entry) => entry.metric === metric && entry.fen)
        .sort((a, b) => b.plies - a.plies);
    if (entries.length === 0) return null;
    return h(
        "div",
        { class: "longest" },
        h("h3", {}, "Longest wins"),
        h(
            "ul",
            {},
            ...entries.map((entry) => {
                const position = asOnBoard(entry.fen, shown.swapped);
                const turn = position.turn === "w" ? "white" : "black";
                const winner = sideName(winnerOf(entry.verdict, turn));
                const late = /_/.test(entry.verdict) ? "; a draw by the 50-move rule" : "";
                return h(
                    "li",
                    {},
                    h(
                        "button",
                        {
                            type: "button",
                            class: "longest-win",
                            "data-fen": formatFen(position),
                            onclick: () => go(position),
                        },
                        h("b", {}, inMoves(entry.plies)),
                        h("span", {}, `${winner} wins, ${sideName(turn)} to move${late}`),
                    ),
                );
            }),
        ),
    );
}

/** The longest win of an ending; null if it has none. */
export function longestOf(stats, metric) {
    const entries = stats.longest.filter(({ fen }) => fen);
    const best = (name) =>
        entries.filter((entry) => entry.metric === name).sort((a, b) => b.plies - a.plies)[0];
    return best(metric) || best("dtm") || entries[0] || null;
}

/** The endings that a capture or promotion leads to. `go` is called with the name of the chosen one. */
export function children(shown, go) {
    const groups = [
        ["promotion", "by promotion"],
        ["capture", "by capture"],
    ];
    const chip = ({ material, installed }) =>
        h(
            "button",
            {
                type: "button",
                class: "chip",
                "data-material": material,
                "aria-disabled": installed ? null : "true",
                title: installed
                    ? `Go to the longest win of ${material}`
                    : `${material} is not installed`,
                onclick: () => go(material),
            },
            material,
        );
    const rows = groups
        .map(([by, words]) => [words, shown.stats.children.filter((child) => child.by === by)])
        .filter(([, list]) => list.length > 0);
    if (rows.length === 0) return null;
    return h(
        "div",
        { class: "children" },
        h("h3", {}, "Leads to"),
        ...rows.map(([words, list]) =>
            h("p", { class: "chips-row" }, h("span", { class: "by" }, words), ...list.map(chip)),
        ),
    );
}
