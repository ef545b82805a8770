// files.mjs - the table files of a set: what the library reads of them, and fetching what it lacks.
//
// The library asks synchronously. What is not in memory is noted in a Wanted, and the library's call fails; then all that was
// noted is fetched side by side, and the library is asked again.
import { readBundle } from "./bundle.mjs";
import { STATUS, TrebuchetError, fail } from "./errors.mjs";
import { MemoryPages, PAGE, StoredPages } from "./pages.mjs";
import { BUNDLE, Bytes, WebFolder, isTable, placeOf } from "./places.mjs";
import { unpack } from "./unpack.mjs";

const BEGIN = 2; // treb_read
const AGAIN = 3;
const GAP = 16384; // bytes between two runs that are fetched together
const FIXED = 96; // bytes of a table's fixed header
const AT_META = 88;
const AT_CODEC = 62;

/** What a call of the library lacked. */
export class Wanted {
    constructor() {
        this.sizes = new Set();
        this.headers = new Set();
        this.pages = new Map(); // file -> numbers of pages
    }

    get empty() {
        return this.sizes.size + this.headers.size + this.pages.size === 0;
    }

    page(file, number) {
        if (!this.pages.has(file)) this.pages.set(file, new Set());
        this.pages.get(file).add(number);
    }
}

/** Joins runs [from, to) that are near each other. */
function joined(runs) {
    const out = [];
    for (const [from, to, ...more] of runs.sort((a, b) => a[0] - b[0])) {
        const last = out.at(-1);
        if (last && from <= last.to + GAP) {
            last.to = Math.max(last.to, to);
            last.parts.push([from, to, ...more]);
        } else {
            out.push({ from, to, parts: [[from, to, ...more]] });
        }
    }
    return out;
}

export class Files {
    constructor(memory) {
        this.memory = new MemoryPages(memory);
        this.stored = null;
        this.list = [];
        this.byName = new Map();
        this.places = [];
        this.wanted = new Wanted();
        this.flying = new Map(); // key -> promise of what is being fetched
        this.collecting = 0; // calls that collect pages
        this.fresh = new Set(); // pages that were fetched again
        this.rounds = 0;
        this.stored_bytes = 0;
    }

    async open(tables, options, three) {
        const { signal, cache } = options;
        this.signal = signal;
        if (cache !== undefined && cache !== "idb" && cache !== "memory" && cache !== "none")
            fail("ARGUMENT", `cache: there is no "${cache}"; "idb" or "memory"`);
        if (three) this.#add(new Bytes(three), await new Bytes(three).list());
        const places = tables === undefined || tables === null ? [] : Array.isArray(tables) && !isFiles(tables) ? tables : [tables];
        for (const what of places) {
            const place = placeOf(what, options);
            const bundled = place instanceof WebFolder ? await readBundle(place, signal) : null;
            this.#add(place, bundled || (await place.list(signal)));
        }
        if (cache === "idb") this.stored = await StoredPages.open((options.cacheMB ?? 256) * 2 ** 20, options.cacheName);
    }

    #add(place, files) {
        this.places.push(place);
        for (const { name, size, header } of files) {
            if (this.byName.has(name)) continue;
            const file = { number: this.list.length, place, name, size, header, begun: false };
            this.list.push(file);
            this.byName.set(name, file);
        }
    }

    // ---- Asked by the library ----------------------------------------------------------------------

    sizeOf(number) {
        const file = this.list[number];
        if (file.size !== undefined) return file.size;
        this.wanted.sizes.add(file);
        return -STATUS.NOT_READY;
    }

    /** treb_source.read: writes `size` bytes of a file into `out`, or notes that they are wanted. */
    read(number, how, offset, size, out) {
        const file = this.list[number];
        if (file.place.now) {
            const bytes = file.place.now(file.name, offset, size);
            if (bytes.length !== size) return STATUS.DAMAGED;
            if (out) out.set(bytes);
            return STATUS.OK;
        }
        if (how !== AGAIN && this.#readHeader(file, offset, size, out)) return STATUS.OK;
        if (how !== AGAIN && file.header && offset < FIXED && !this.memory.has(headerKey(file))) {
            this.wanted.headers.add(file);
            return STATUS.NOT_READY;
        }
        return this.#readPages(file, how, offset, size, how === BEGIN ? null : out);
    }

    /** Reads from a header that the bundle had: the fixed header, the zeros up to the first page, what is behind the pages. */
    #readHeader(file, offset, size, out) {
        const header = this.memory.get(headerKey(file));
        if (!header) return false;
        const end = offset + size;
        if (end <= FIXED) {
            out?.set(header.subarray(offset, end));
            return true;
        }
        const view = new DataView(header.buffer, header.byteOffset, header.length);
        const meta = Number(view.getBigUint64(AT_META, true));
        if (offset >= meta) {
            out?.set(header.subarray(FIXED + offset - meta, FIXED + end - meta));
            return true;
        }
        if (offset !== 0 || view.getUint16(AT_CODEC, true) !== 1 || end > Math.min(PAGE, meta)) return false;
        out?.fill(0).set(header.subarray(0, FIXED));
        return true;
    }

    #readPages(file, how, offset, size, out) {
        const first = Math.floor(offset / PAGE);
        const last = Math.floor((offset + size - 1) / PAGE);
        let missing = false;
        for (let page = first; page <= last; page++) {
            const key = `${file.number}:${page}`;
            if (how === AGAIN && !this.fresh.has(key)) {
                this.memory.remove(key);
                this.stored?.remove(this.#storedKey(file, page));
                this.fresh.add(key);
            }
            const bytes = this.memory.get(key);
            if (!bytes) {
                missing = true;
                this.#want(file, page);
            } else if (out) {
                const from = Math.max(offset, page * PAGE);
                const to = Math.min(offset + size, page * PAGE + bytes.length);
                if (to > from) out.set(bytes.subarray(from - page * PAGE, to - page * PAGE), from - offset);
            }
        }
        return missing || how === BEGIN ? STATUS.NOT_READY : STATUS.OK;
    }

    #want(file, page) {
        if (isSyzygy(file.name) && !file.begun) {
            file.begun = true;
            for (const first of firstPages(file))
                if (first * PAGE < file.size && !this.memory.has(`${file.number}:${first}`)) this.wanted.page(file, first);
        }
        this.wanted.page(file, page);
    }

    // ---- Fetching ----------------------------------------------------------------------------------

    /** Runs a call of the library. Its result, minus a status if it failed, is undefined if the call lacked something. */
    once(call) {
        if (!this.wanted.empty) this.wanted = new Wanted();
        const result = call();
        return result === -STATUS.NOT_READY ? undefined : result;
    }

    /** Runs a call of the library until it has all that it reads. */
    async run(call, signal) {
        this.collecting++;
        try {
            for (;;) {
                signal?.throwIfAborted();
                const result = this.once(call);
                if (result !== undefined) return result;
                const { wanted } = this;
                this.wanted = new Wanted();
                if (wanted.empty) fail("IO", "the library waits for bytes that it did not ask for");
                this.rounds++;
                await unlessAborted(this.fetch(wanted), signal);
            }
        } finally {
            if (--this.collecting === 0) this.memory.trim();
        }
    }

    /** Fetches all that is wanted. Calls share what they fetch, so one that is aborted does not end it. */
    async fetch(wanted) {
        const { signal } = this;
        const work = [];
        for (const file of wanted.sizes) work.push(...this.#fetchPages(file, firstPages(file), signal));
        work.push(...this.#fetchHeaders([...wanted.headers], signal));
        const pages = await this.#fromStore(wanted.pages);
        for (const [file, numbers] of pages) work.push(...this.#fetchPages(file, numbers, signal));
        const results = await Promise.allSettled(work);
        const failed = results.find(({ status }) => status === "rejected");
        if (failed) throw failed.reason;
    }

    /** Notes what is being fetched, so that no two calls fetch it. */
    #fly(keys, promise) {
        const flight = promise.finally(() => {
            for (const key of keys) this.flying.delete(key);
        });
        for (const key of keys) this.flying.set(key, flight);
        return flight;
    }

    #fetchHeaders(files, signal) {
        const work = [];
        const byPlace = groupBy(files, ({ place }) => place);
        for (const [place, own] of byPlace) {
            for (const file of own) if (this.flying.has(headerKey(file))) work.push(this.flying.get(headerKey(file)));
            const runs = own
                .filter((file) => !this.flying.has(headerKey(file)))
                .map((file) => [file.header.at, file.header.at + file.header.packed, file]);
            for (const { from, to, parts } of joined(runs))
                work.push(this.#fly(parts.map(([, , file]) => headerKey(file)), this.#fetchBundle(place, from, to, parts, signal)));
        }
        return work;
    }

    async #fetchBundle(place, from, to, parts, signal) {
        const { bytes, at } = await place.read(BUNDLE, from, to - from, signal);
        for (const [start, end, file] of parts) {
            try {
                this.memory.put(headerKey(file), await unpack(bytes.subarray(start - at, end - at), file.header.size));
            } catch (cause) {
                throw new TrebuchetError("DAMAGED", `${place.url}${BUNDLE}: the header of ${file.name} in it is damaged`, { cause });
            }
        }
    }

    #storedKey(file, page) {
        return `${file.place.key}${file.name}:${file.size}:${page}`;
    }

    /** Takes what the browser's database has; returns the rest. */
    async #fromStore(pages) {
        if (!this.stored) return pages;
        const rest = new Map();
        for (const [file, numbers] of pages) {
            const asked = [...numbers].filter((page) => !this.fresh.has(`${file.number}:${page}`));
            const found = file.place.key ? await this.stored.get(asked.map((page) => this.#storedKey(file, page))) : [];
            const left = new Set(numbers);
            asked.forEach((page, i) => {
                if (!found[i]) return;
                this.memory.put(`${file.number}:${page}`, found[i]);
                this.stored_bytes += found[i].length;
                left.delete(page);
            });
            if (left.size > 0) rest.set(file, left);
        }
        return rest;
    }

    #fetchPages(file, numbers, signal) {
        const keyOf = (page) => `${file.number}:${page}`;
        const work = [];
        const runs = [];
        for (const page of numbers)
            if (this.flying.has(keyOf(page))) work.push(this.flying.get(keyOf(page)));
            else runs.push([page * PAGE, Math.min((page + 1) * PAGE, file.size ?? Infinity), page]);
        for (const { from, to, parts } of joined(runs)) {
            const keys = parts.map(([, , page]) => keyOf(page));
            work.push(this.#fly(keys, this.#fetchRun(file, from, to, signal)));
        }
        return work;
    }

    async #fetchRun(file, from, to, signal) {
        const { bytes, at, size } = await file.place.read(file.name, from, to - from, signal);
        if (size !== undefined && file.size === undefined) file.size = size;
        if (size !== undefined && size !== file.size) {
            const folder = file.place.url || "";
            fail("DAMAGED", `${folder}${file.name}: has ${size} bytes and should have ${file.size}: it was changed; open the tables again, and write ${BUNDLE} again`);
        }
        const end = Math.min(to, file.size ?? at + bytes.length);
        if (at > from || at + bytes.length < end) fail("NETWORK", `${file.name}: the answer ends too early`);
        const entries = [];
        for (let start = at; start < at + bytes.length; start += PAGE) {
            const page = bytes.slice(start - at, start - at + PAGE);
            if (page.length < PAGE && start + page.length < file.size) break;
            this.memory.put(`${file.number}:${start / PAGE}`, page);
            if (file.place.key && file.size !== undefined) entries.push([this.#storedKey(file, start / PAGE), page]);
        }
        this.stored?.put(entries);
    }

    // ---- The rest ----------------------------------------------------------------------------------

    /** Fetches whole files, so that they are at hand later: in the database, or in memory. */
    async prefetch(files, signal) {
        const wanted = new Wanted();
        const sizes = new Wanted();
        for (const file of files)
            if (file.size === undefined) sizes.sizes.add(file);
        await unlessAborted(this.fetch(sizes), signal);
        for (const file of files) {
            if (file.place.now) continue;
            for (let page = 0; page * PAGE < file.size; page++)
                if (!this.memory.has(`${file.number}:${page}`)) wanted.page(file, page);
        }
        for (const [file, numbers] of wanted.pages) if (!this.stored || !file.place.key) this.memory.budget += numbers.size * PAGE;
        await unlessAborted(this.fetch(wanted), signal);
        await this.stored?.settled();
    }

    counts() {
        const sum = (what) => this.places.reduce((total, place) => total + (place[what] || 0), 0);
        return { rounds: this.rounds, requests: sum("requests"), bytes: sum("bytes"), stored: this.stored_bytes };
    }

    async close() {
        for (const place of this.places) place.close?.();
        await this.stored?.close();
    }
}

/** What a promise gives, unless the signal comes first. */
function unlessAborted(promise, signal) {
    if (!signal) return promise;
    return new Promise((resolve, reject) => {
        const abort = () => reject(signal.reason);
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort, { once: true });
        promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    });
}

/** The pages that a file is begun with. Those of Syzygy's are read one after another when it is opened, so many come at once. */
const firstPages = ({ name }) => Array.from({ length: isSyzygy(name) ? 16 : 1 }, (_, page) => page);
const isSyzygy = (name) => /\.rtb[wz]$/.test(name);
const headerKey = (file) => `header:${file.number}`;
const isFiles = (list) => list.length > 0 && list.every((file) => file && typeof file.slice === "function" && isTable(String(file.name)));

function groupBy(list, keyOf) {
    const groups = new Map();
    for (const item of list) {
        const key = keyOf(item);
        groups.set(key, [...(groups.get(key) || []), item]);
    }
    return groups;
}
