// The choice of colours: light, dark, or as the system.

import { $ } from "./dom.js";

const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = { auto: "as the system", light: "light", dark: "dark" };

function apply(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const button = $("theme");
    button.querySelector("use").setAttribute("href", `#i-${theme}`);
    button.title = `Colours: ${WORDS[theme]}`;
    button.setAttribute("aria-label", `Colours: ${WORDS[theme]}. Change to ${WORDS[NEXT[theme]]}.`);
}

function saved() {
    try {
        return localStorage.getItem("theme");
    } catch {
        return null; // no storage in some private windows
    }
}

export function startTheme() {
    let theme = NEXT[saved()] ? saved() : "auto";
    apply(theme);
    $("theme").addEventListener("click", () => {
        theme = NEXT[theme];
        apply(theme);
        try {
            localStorage.setItem("theme", theme);
        } catch {
            // Without storage the choice is lost with the page.
        }
    });
}
