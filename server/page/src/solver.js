// Solves pawn endings by the WebAssembly module of ../solver/solver.c, which waits for nobody: see solverworker.js.

/** What the module says of a position. `stop(structures)` is called now and then, and returns whether to stop. */
export async function solveWith(module, fen, memory, stop) {
    let exports;
    const clock = (id, precision, at) => {
        new DataView(exports.memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
    };
    const none = () => 8; // there are no files: EBADF
    const system = { clock_time_get: clock, sched_yield: () => 0, fd_close: none, fd_seek: none, fd_write: none };
    const imports = { web: { stop: (structures) => Number(stop(structures)) }, wasi_snapshot_preview1: system };
    ({
        instance: { exports },
    } = await WebAssembly.instantiate(module, imports));
    exports._initialize();
    const text = () => new Uint8Array(exports.memory.buffer, exports.text());
    new TextEncoder().encodeInto(`${fen}\0`, text());
    const status = exports.solve(memory);
    const bytes = text();
    const said = new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    if (status !== 0) throw new Error(said);
    return JSON.parse(said);
}
