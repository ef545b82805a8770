// The name of an ending as players write it: "rook and pawn v rook", "R+P vs R", "KRPKR". No DOM, no server.

const MEN = {
    K: ["k", "king", "kings"],
    Q: ["q", "queen", "queens"],
    R: ["r", "rook", "rooks"],
    B: ["b", "bishop", "bishops"],
    N: ["n", "knight", "knights"],
    P: ["p", "pawn", "pawns"],
};
const COUNTS = { a: 1, an: 1, the: 1, one: 1, two: 2, three: 3, four: 4, five: 5, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 };
const NOTHING = ["alone", "only", "lone", "bare", "and", "&", "ending", "endings", "endgame", "endgames"];

/** Letters without accents, small. */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();

/** The men of one side, "KRP"; null if a word is not understood. */
function side(text) {
    let men = "";
    let count = 1;
    for (const word of text.split(/[\s+,]+/).filter(Boolean)) {
        const man = Object.keys(MEN).find((letter) => MEN[letter].includes(word));
        if (COUNTS[word]) count = COUNTS[word];
        else if (man) (men += man.repeat(count)), (count = 1);
        else if (/^[kqrbnp]+$/.test(word)) men += word.toUpperCase();
        else if (!NOTHING.includes(word)) return null;
    }
    if (men.replace(/[^K]/g, "").length > 1) return null;
    return [..."KQRBNP"].map((letter) => (letter === "K" ? "K" : [...men].filter((man) => man === letter).join(""))).join("");
}

/** The name of an ending, "KRPvKR"; the text itself if it is not written in words. A side that is not named is a king. */
export function endingName(text) {
    const [first, second = "", ...more] = plain(text).split(/\s+(?:v|vs|versus|against|x|-|–|:)[.]?\s+|\s*(?:–|:)\s*|-/);
    const sides = [side(first), side(second)];
    if (more.length > 0 || sides.includes(null) || sides.join("") === "KK" || /^[kqrbnp]{2,}v?[kqrbnp]*$/.test(plain(text))) return text.trim();
    return sides.join("v");
}

/** Whether a name, such as "Lucena", is one of the words of a text. */
export const isNamed = (title, name) => plain(name).length > 3 && plain(title).includes(plain(name));

const GROUPS = ["Pawn endings", "Rook endings", "Queen endings", "Minor pieces"];

/** The kind of an ending, by its strongest piece. */
const groupOf = (name) => (/Q/.test(name) ? 2 : /R/.test(name) ? 1 : /[BN]/.test(name) ? 3 : 0);

/** Endings by kind: [{title, endings}], those of few men first. */
export const byKind = (endings) =>
    GROUPS.map((title, index) => ({
        title,
        endings: endings.filter(({ material }) => groupOf(material) === index).sort((a, b) => a.men - b.men),
    })).filter((group) => group.endings.length > 0);
