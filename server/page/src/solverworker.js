// The worker that solves a pawn ending for a page without a server: gets {fen, memory, seconds}, posts {done} as it goes on, and
// at its end {result} or {problem}.

import { solveWith } from "./solver.js";

const TELL = 200; // milliseconds between reports

onmessage = async ({ data: { fen, memory, seconds } }) => {
    const end = performance.now() + 1000 * seconds;
    let told = 0;
    const stop = (done) => {
        const now = performance.now();
        if (now > told + TELL) {
            told = now;
            postMessage({ done });
        }
        return now > end;
    };
    try {
        const module = await (await fetch("solver.wasm")).arrayBuffer();
        postMessage({ result: await solveWith(module, fen, memory, stop) });
    } catch (error) {
        postMessage({ problem: error.message });
    }
};
