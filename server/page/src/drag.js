// Dragging with mouse, pen or finger, from the board and from the tray, and taps, from the same events. The caller
// decides what a drop means.

const THRESHOLD = 5;

/**
 * hooks: manAt(square) -> FEN letter that may be lifted, or "";
 *        picked(square) when a man is picked up, over(square or null) while it moves;
 *        dropped({man, from, to}): from is null for the tray, to is null off the board;
 *        tapped(square).
 * A man of the tray keeps data-dragged until it is next pressed, so that the click that ends a drag can be ignored.
 */
export function enableDrag(board, tray, hooks) {
    let held = null;

    function begin(event, man, from, source) {
        held = { man, from, source, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
        delete source.dataset.dragged;
        source.setPointerCapture(event.pointerId);
    }

    function follow(event) {
        if (!held || event.pointerId !== held.id) return;
        if (!held.ghost) {
            if (!held.man || Math.hypot(event.clientX - held.x, event.clientY - held.y) < THRESHOLD) return;
            held.ghost = board.ghost(held.man);
            held.source.dataset.dragged = "";
            document.body.append(held.ghost);
            if (held.from) {
                hooks.picked(held.from);
                board.lift(held.from, true);
            }
        }
        const half = held.ghost.clientWidth / 2;
        held.ghost.style.transform = `translate(${event.clientX - half}px, ${event.clientY - half}px)`;
        hooks.over(board.squareAt(event.clientX, event.clientY));
    }

    function release() {
        if (held.ghost) held.ghost.remove();
        if (held.from) board.lift(held.from, false);
        hooks.over(null);
        const was = held;
        held = null;
        return was;
    }

    function drop(event) {
        if (!held || event.pointerId !== held.id) return;
        const was = release();
        const to = board.squareAt(event.clientX, event.clientY);
        if (was.ghost) hooks.dropped({ man: was.man, from: was.from, to });
        else if (was.source === board.element && to) hooks.tapped(to);
    }

    function cancel(event) {
        if (held && (!event || event.pointerId === held.id)) release();
    }

    board.element.addEventListener("pointerdown", (event) => {
        if (held || event.button !== 0) return;
        const square = board.squareAt(event.clientX, event.clientY);
        if (square) begin(event, hooks.manAt(square), square, board.element);
    });
    for (const element of tray) {
        element.addEventListener("pointerdown", (event) => {
            const spare = event.target.closest("[data-man]");
            if (!held && event.button === 0 && spare && spare.dataset.man)
                begin(event, spare.dataset.man, null, spare);
        });
    }
    for (const element of [board.element, ...tray]) {
        element.addEventListener("pointermove", follow);
        element.addEventListener("pointerup", drop);
        element.addEventListener("pointercancel", cancel);
    }
    // A finger on a man drags it; elsewhere it scrolls the page.
    const still = (event) => {
        const { clientX, clientY } = event.touches[0];
        const square = board.squareAt(clientX, clientY);
        if (square && hooks.manAt(square)) event.preventDefault();
    };
    board.element.addEventListener("touchstart", still, { passive: false });
    // The click that follows a tap would go to a dialog that the tap has opened.
    const noClick = (event) => document.querySelector("dialog[open]") && event.cancelable && event.preventDefault();
    board.element.addEventListener("touchend", noClick, { passive: false });
    addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !held?.ghost) return;
        event.stopImmediatePropagation();
        cancel();
    });
}
