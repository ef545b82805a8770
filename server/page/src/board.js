// The board. cm-chessboard draws squares, men, marks and arrows; this module adds what the page needs. It uses no style
// attributes, so that a strict Content-Security-Policy holds.

import { Chessboard } from "cm-chessboard/src/Chessboard.js";
import { Extension, EXTENSION_POINT } from "cm-chessboard/src/model/Extension.js";
import { Arrows } from "cm-chessboard/src/extensions/arrows/Arrows.js";
import { Markers } from "cm-chessboard/src/extensions/markers/Markers.js";
import { h, s, manId } from "./dom.js";
import { formatBoard, FILES } from "./fen.js";
import { sprite } from "./pieces.js";

const MARK_SPRITE = `<svg xmlns="http://www.w3.org/2000/svg">
<g id="mark-square"><rect width="40" height="40"/></g>
<g id="mark-frame"><rect x="1.5" y="1.5" width="37" height="37"/></g>
<g id="mark-dot"><circle cx="20" cy="20" r="5.5"/></g>
<g id="mark-ring"><circle cx="20" cy="20" r="17"/></g>
<g id="arrow-head"><path d="M10 9l22 11-22 11z"/></g></svg>`;

const mark = (name, slice, position) => ({ class: `mark-${name}`, slice, position });
export const MARK = {
    from: mark("from", "mark-square"),
    to: mark("to", "mark-square"),
    picked: mark("picked", "mark-square"),
    cursor: mark("cursor", "mark-frame", "above"),
    over: mark("over", "mark-frame", "above"),
    check: mark("check", "mark-square"),
};
const TONES = ["win", "cursed_win", "draw", "blessed_loss", "loss", "plain"];
const TARGET = Object.fromEntries(
    TONES.map((tone) => [
        tone,
        [mark(`dot tone-${tone}`, "mark-dot", "above"), mark(`ring tone-${tone}`, "mark-ring", "above")],
    ]),
);
const DRAWN = { ring: mark("drawn", "mark-ring", "above"), arrow: { class: "arrow-tone drawn" } };
const ARROW = Object.fromEntries(TONES.map((tone) => [tone, { class: `arrow-tone tone-${tone}` }]));

class Coordinates extends Extension {
    constructor(chessboard) {
        super(chessboard);
        this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw());
    }

    draw() {
        const view = this.chessboard.view;
        const white = this.chessboard.getOrientation() === "w";
        const size = view.squareWidth;
        const text = (label, x, y, dark) =>
            s(
                "text",
                {
                    x,
                    y,
                    "font-size": Math.max(9, size * 0.17),
                    class: `coordinate ${dark ? "on-dark" : "on-light"}`,
                },
                label,
            );
        const labels = [];
        for (let i = 0; i < 8; i++) {
            labels.push(text(FILES[white ? i : 7 - i], (i + 0.95) * size, 7.95 * size, i % 2 === 0));
            labels.push(text(white ? 8 - i : i + 1, 0.05 * size, (i + 0.2) * size, i % 2 === 1));
            labels[labels.length - 2].setAttribute("text-anchor", "end");
        }
        view.coordinatesGroup.replaceChildren(...labels);
    }
}

/** Marks of corresponding squares: filled for the attacker's king, rings for the defender's. */
class SquareMarks extends Extension {
    constructor(chessboard) {
        super(chessboard);
        this.marks = {};
        this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw());
        chessboard.showSquareMarks = (marks, position) => {
            Object.assign(this, { marks, position });
            this.draw();
        };
    }

    /** One mark. It is small and in a corner if the square has a man or a mark of the other kind. */
    mark(kind, numbers, x, y, radius, size) {
        const label = numbers.map((number) => number + 1).join(" ");
        const wide = Math.max(radius, 0.055 * size * label.length + 0.08 * size);
        return s(
            "g",
            { class: `square-mark ${kind} group-${numbers[0] % 12}` },
            s("rect", { x: x - wide, y: y - radius, width: 2 * wide, height: 2 * radius, rx: radius }),
            s("text", { x, y, "font-size": Math.max(9, radius * 1.25), dy: "0.36em" }, label),
        );
    }

    draw() {
        const view = this.chessboard.view;
        if (!this.layer) {
            this.layer = s("g", { class: "square-marks", "aria-hidden": "true" });
            view.svg.append(this.layer);
        }
        const white = this.chessboard.getOrientation() === "w";
        const size = view.squareWidth;
        const parts = [];
        for (const [square, { attacker, defender }] of Object.entries(this.marks)) {
            const file = FILES.indexOf(square[0]);
            const rank = square[1] - 1;
            const [x, y] = [(white ? file : 7 - file) * size, (white ? 7 - rank : rank) * size];
            const alone = this.position.men[8 * rank + file] === "" && !(attacker.length && defender.length);
            const put = (kind, numbers, dx, dy) => {
                const [u, v, radius] = alone ? [0.5, 0.5, 0.25] : [dx, dy, 0.17];
                if (numbers.length > 0)
                    parts.push(this.mark(kind, numbers, x + u * size, y + v * size, radius * size, size));
            };
            put("filled", attacker, 0.76, 0.24);
            put("ringed", defender, 0.28, 0.76);
        }
        this.layer.replaceChildren(...parts);
    }
}

/** Puts the pictures of men and marks into the document, where cm-chessboard finds them without fetching files. */
export function installSprites() {
    for (const [id, text] of [
        ["cm-chessboard-sprite", sprite],
        ["cm-chessboard-markers", MARK_SPRITE],
        ["cm-chessboard-arrows", ""],
    ]) {
        const box = h("div", { id, class: "sprite", "aria-hidden": "true" });
        box.innerHTML = text;
        document.body.append(box);
    }
}

export function makeBoard(element, duration) {
    const chessboard = new Chessboard(element, {
        orientation: "w",
        style: {
            showCoordinates: false,
            cssClass: "trebuchet",
            animationDuration: duration,
            pieces: { tileSize: 40 },
        },
        extensions: [
            { class: Coordinates },
            { class: Markers, props: { autoMarkers: null } },
            { class: SquareMarks },
            { class: Arrows, props: { slice: "arrow-head", headSize: 4, offsetTo: 0.3 } },
        ],
    });
    chessboard.view.svg.setAttribute("role", "presentation");
    const size = () => element.clientWidth / 8;

    const board = {
        element,
        /** Resolves at the end of the animation. */
        show: (position, animated) =>
            chessboard.setPosition(formatBoard(position.men), animated && duration > 0),
        flipped: () => chessboard.getOrientation() === "b",
        turn(side) {
            if (chessboard.getOrientation() !== side) return chessboard.setOrientation(side, false);
        },
        squareAt(x, y) {
            const box = element.getBoundingClientRect();
            const [column, row] = [(x - box.left) / size(), (y - box.top) / size()].map(Math.floor);
            if (column < 0 || column > 7 || row < 0 || row > 7) return null;
            return board.flipped() ? FILES[7 - column] + (row + 1) : FILES[column] + (8 - row);
        },
        mark: (type, square) => chessboard.addMarker(type, square),
        unmark: (type) => chessboard.removeMarkers(type),
        target: (square, tone, taken) => chessboard.addMarker(TARGET[tone][taken ? 1 : 0], square),
        untarget: () =>
            Object.values(TARGET)
                .flat()
                .forEach((type) => chessboard.removeMarkers(type)),
        arrow(from, to, tone) {
            for (const type of Object.values(ARROW)) chessboard.removeArrows(type);
            if (from) chessboard.addArrow(ARROW[tone], from, to);
        },
        /** Shows what the player has drawn: "e4" is a ring, "e2e4" an arrow. */
        drawn(names) {
            chessboard.removeMarkers(DRAWN.ring);
            chessboard.removeArrows(DRAWN.arrow);
            for (const name of names)
                if (name.length === 2) chessboard.addMarker(DRAWN.ring, name);
                else chessboard.addArrow(DRAWN.arrow, name.slice(0, 2), name.slice(2));
        },
        /** Shows marks of corresponding squares, by square; none for {}. */
        squares: (marks, position) => chessboard.showSquareMarks(marks, position),
        lift(square, lifted) {
            const man = chessboard.view.piecesGroup.querySelector(`g[data-square="${square}"]`);
            if (man) man.classList.toggle("lifted", lifted);
        },
        ghost: (man) =>
            s(
                "svg",
                {
                    viewBox: "0 0 40 40",
                    width: size(),
                    height: size(),
                    class: "ghost",
                    "aria-hidden": "true",
                },
                s("use", { href: `#${manId(man)}` }),
            ),
    };
    return board;
}
