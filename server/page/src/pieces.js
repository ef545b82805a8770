// Pictures of the men, drawn for this page, 40 by 40 each, on a common base line. Colours come from the style sheet.
// The sprite has the ids that cm-chessboard uses: wk, bp, ...

const base = '<rect x="8.4" y="30.6" width="23.2" height="4.8" rx="2"/>';
const skirt = '<path d="M11 30.6c1.6-1.7 2.5-3.5 2.8-5.6h12.4c.3 2.1 1.2 3.9 2.8 5.6z"/>';
const collar = '<rect x="12.4" y="22.4" width="15.2" height="2.8" rx="1.4"/>';
const ball = (x, y, r) => `<circle cx="${x}" cy="${y}" r="${r}"/>`;

const SHAPES = {
    p:
        '<rect x="10.2" y="30.6" width="19.6" height="4.8" rx="2"/>' +
        '<path d="M17 20c0 4.6-2 7.8-4.4 10.6h14.8C25 27.8 23 24.6 23 20z"/>' +
        '<rect x="14" y="18" width="12" height="2.8" rx="1.4"/>' +
        ball(20, 13, 5.1),
    n:
        base +
        '<path d="M11.6 30.600c-.3-4.6 1.7-7.2 4.7-9.4 1.4-1 2.1-2 2.2-3.4-1.7 1.6-3.5 2-5.1 2.5-1.2.4-1.7 2.2-3.1 2.3-1.8.1-3.2-2-2.7-4.1.5-1.9 2.6-4 3.7-6.3.6-1.3.7-2.5 1.5-3.600L12.6 4.800l4 2.6 1.5-3.2 2.3 3.600c6.4.9 10.2 7.3 10.2 15.2 0 2.9-.5 5.4-1.3 7.600z"/>' +
        '<path class="line" d="M22.6 11.200c3.4 2.6 5 7 4.7 13"/>' +
        '<circle class="dot" cx="15.2" cy="12.6" r="1.3"/>' +
        '<circle class="dot" cx="9.9" cy="19.3" r=".7"/>',
    b:
        base +
        '<path d="M16.6 24c-.4 2.8-2.2 5-4.2 6.600h15.200c-2-1.6-3.8-3.8-4.2-6.600z"/>' +
        '<path d="M20 7.600c4.3 3 6.7 6.4 6.7 9.6 0 2.3-1 4.1-2.3 5.200h-8.800c-1.3-1.1-2.3-2.9-2.3-5.2 0-3.2 2.4-6.6 6.7-9.600z"/>' +
        '<path class="line" d="M21.4 17.200l3.2-5"/>' +
        '<rect x="13.6" y="21.8" width="12.8" height="2.8" rx="1.4"/>' +
        ball(20, 6.2, 2),
    r:
        base +
        '<path d="M11 30.600l2.4-3.600h13.200l2.4 3.600z"/>' +
        '<path d="M13.8 27l.9-11h10.600l.9 11z"/>' +
        '<path d="M10.8 7.400h4.100v2.800h3v-2.800h4.200v2.800h3v-2.800h4.100v5.600L26.4 16H13.600l-2.8-3z"/>',
    q:
        base +
        skirt +
        '<path d="M13.4 22.800L8.7 12.800l5.1 3.8.5-7 3.9 5.800L20 8.200l1.8 7.2 3.9-5.8.5 7 5.1-3.8-4.7 10z"/>' +
        collar +
        ball(8.3, 11.4, 1.8) +
        ball(14, 8, 1.8) +
        ball(20, 6.4, 1.8) +
        ball(26, 8, 1.8) +
        ball(31.7, 11.4, 1.8),
    k:
        base +
        skirt +
        '<path d="M18.5 3.800h3v2.500h2.500v2.800h-2.500v3.400h-3V9.100H16V6.300h2.500z"/>' +
        '<path d="M13.6 22.600l-2.5-8.400c2.7-1.8 5.7-2.6 8.9-2.600s6.2.8 8.9 2.600l-2.5 8.400z"/>' +
        collar,
};

/** One man as SVG text; `man` is a FEN letter. */
function manGroup(man) {
    const white = man === man.toUpperCase();
    const type = man.toLowerCase();
    return `<g id="${white ? "w" : "b"}${type}" class="man man-${white ? "white" : "black"}">${SHAPES[type]}</g>`;
}

/** All men in one SVG document, which cm-chessboard would otherwise fetch. */
export const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${[..."KQRBNPkqrbnp"].map(manGroup).join("")}</svg>`;
