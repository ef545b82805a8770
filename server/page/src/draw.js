// Arrows and rings that the player draws with the right mouse button. A click, or another position, removes them. While
// setting up, a right click removes a man.

import { onChange, state } from "./session.js";
import { removeMan } from "./setup.js";

export function startDrawing(board) {
    const drawn = new Set(); // "e4" for a ring, "e2e4" for an arrow
    let from = null;

    const show = (extra = "") => board.drawn([...drawn, extra].filter(Boolean));
    const clear = () => {
        if (drawn.size === 0) return;
        drawn.clear();
        show();
    };
    const nameOf = (to) => (to === from ? from : from + to);
    const squareOf = (event) => board.squareAt(event.clientX, event.clientY);

    board.element.addEventListener("contextmenu", (event) => event.preventDefault());
    board.element.addEventListener("pointerdown", (event) => {
        if (event.button === 0) clear();
        if (event.button !== 2 || event.pointerType === "touch") return;
        from = squareOf(event);
        board.element.setPointerCapture(event.pointerId);
    });
    board.element.addEventListener("pointermove", (event) => {
        const to = from && !state.setup && squareOf(event);
        if (to) show(nameOf(to));
    });
    board.element.addEventListener("pointerup", (event) => {
        if (event.button !== 2 || !from) return;
        const to = squareOf(event);
        const name = to && nameOf(to);
        if (name && state.setup) to === from && removeMan(to);
        else if (name && !drawn.delete(name)) drawn.add(name);
        from = null;
        show();
    });
    board.element.addEventListener("pointercancel", () => ((from = null), show()));
    onChange((patch) => "position" in patch && clear());
}
