// Small helpers for the document.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === false || value === null || value === undefined) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "vars")
            for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(
        ...children.flat().filter((child) => child !== null && child !== undefined && child !== ""),
    );
    return element;
}

/** An HTML element: h("button", {class: "quiet", onclick: f}, "Text", child, ...). */
export const h = (name, attributes = {}, ...children) =>
    fill(document.createElement(name), attributes, children);

/** An SVG element; the arguments are those of h(). */
export const s = (name, attributes = {}, ...children) =>
    fill(document.createElementNS(SVG, name), attributes, children);

export const $ = (id) => document.getElementById(id);

/** Changes the content of a box. If that removes the focused control, focuses `next()`, so that a keyboard user is not
 * sent back to the top of the page. */
export function keepingFocus(box, change, next) {
    const inside = box.contains(document.activeElement);
    change();
    if (inside && !box.contains(document.activeElement)) next()?.focus();
}

/** Closes a dialog by a press beside it. A press that began elsewhere does not count: on a touch screen the click of the
 * tap that opened the dialog comes after that, and the selection of a text may end beside the dialog. */
export function closeBeside(dialog) {
    let pressed = false;
    dialog.addEventListener("pointerdown", (event) => (pressed = event.target === dialog));
    dialog.addEventListener("click", (event) => {
        if (pressed && event.target === dialog) dialog.close();
        pressed = false;
    });
    dialog.addEventListener("close", () => (pressed = false));
}

/** Scrolls as little as needed to bring the board into view. */
export const showTheBoard = () => $("board").scrollIntoView({ block: "nearest" });

/** A man as a small picture. */
export const manPicture = (man, attributes = {}) =>
    s(
        "svg",
        { viewBox: "0 0 40 40", class: "man-picture", "aria-hidden": "true", ...attributes },
        s("use", { href: `#${manId(man)}` }),
    );

export const manId = (man) => (man === man.toUpperCase() ? "w" : "b") + man.toLowerCase();

const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
export const manName = (man) =>
    `${man === man.toUpperCase() ? "white" : "black"} ${NAMES[man.toLowerCase()]}`;

let toastTimer = 0;
/** Shows a short message that disappears by itself. Screen readers read it out. */
export function toast(text) {
    const box = $("toast");
    box.textContent = text;
    box.classList.add("shown");
    clearTimeout(toastTimer);
    // Long texts stay longer, so that they can be read.
    toastTimer = setTimeout(() => box.classList.remove("shown"), Math.max(2200, 60 * text.length));
}

/** A message for screen readers only. */
export const announce = (text) => ($("announce").textContent = text);

/** Copies text, also where browsers disable the clipboard interface (pages not from https or localhost). */
export async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = h("textarea", { class: "offscreen", readonly: true });
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        if (!done) return toast(`${what} could not be copied`);
    }
    toast(`${what} copied`);
}

export const calmMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
