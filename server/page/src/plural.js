// Numbers with their nouns. No DOM, no server.

/** "1 move", "2 moves", "1,200 plies": `many` is the plural. */
export const plural = (count, word, many = `${word}s`) => `${count.toLocaleString("en")} ${count === 1 ? word : many}`;

/** "1 ply", "33 plies". */
export const pliesOf = (count) => plural(count, "ply", "plies");
