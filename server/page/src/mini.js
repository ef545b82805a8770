// Small pictures of boards, and positions in words for screen readers.

import { h, manId, manName, s } from "./dom.js";
import { formatFen, isWhite, squareOf } from "./fen.js";

const SIDE = 40; // of a square, and of a man's picture
const LARGER = 1.16; // scale of the men, to fill the small squares
const margin = (SIDE * (LARGER - 1)) / 2;
const left = (index) => (SIDE * (index % 8) - margin).toFixed(1);
const top = (index) => (SIDE * (7 - (index >> 3)) - margin).toFixed(1);
let dark = "";
for (let index = 0; index < 64; index++)
    if ((index + (index >> 3)) % 2 === 0) dark += `M${SIDE * (index % 8)} ${SIDE * (7 - (index >> 3))}h40v40h-40z`;

/** The position in words. */
export function inWords({ men }) {
    const side = (white) =>
        men
            .map((man, index) => [man, squareOf(index)])
            .filter(([man]) => man && isWhite(man) === white)
            .map(([man, square]) => `${manName(man).split(" ")[1]} ${square}`)
            .join(", ");
    return `White: ${side(true) || "nothing"}. Black: ${side(false) || "nothing"}.`;
}

/** A picture of a position, White below. */
export const miniBoard = ({ men }) =>
    s(
        "svg",
        { viewBox: "0 0 320 320", class: "mini", "aria-hidden": "true" },
        s("rect", { width: 320, height: 320, class: "mini-light" }),
        s("path", { d: dark, class: "mini-dark" }),
        ...men.flatMap((man, index) =>
            man
                ? [s("use", { href: `#${manId(man)}`, transform: `translate(${left(index)} ${top(index)}) scale(${LARGER})` })]
                : [],
        ),
    );

/** Shows positions as small boards: [{position, caption}]. Calls `go` with the chosen position. Shows the first `first`
 * at once, the others on request. */
export function gallery(entries, first, go) {
    const list = h("ul", { class: "gallery" });
    const item = ({ position, caption }) =>
        h(
            "li",
            {},
            h(
                "button",
                { type: "button", class: "thumb", "data-fen": formatFen(position), onclick: () => go(position) },
                miniBoard(position),
                h("span", { class: "thumb-caption" }, caption),
                h("span", { class: "offscreen" }, `. ${inWords(position)}`),
            ),
        );
    const add = (count) =>
        list.append(...entries.slice(list.childElementCount, list.childElementCount + count).map(item));
    add(first);
    if (entries.length <= first) return list;
    const more = h("button", { type: "button", class: "button small" });
    const label = () => (more.textContent = `Show more of ${entries.length.toLocaleString("en")}`);
    more.addEventListener("click", () => {
        const next = list.childElementCount;
        add(4 * first);
        label();
        list.children[next].firstChild.focus();
        if (list.childElementCount === entries.length) more.remove();
    });
    label();
    return h("div", { class: "gallery-box" }, list, more);
}
