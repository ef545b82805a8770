// places.mjs - where tables are: folders of web hosts, files that the user chose, folders, bytes in memory, or a function.
//
// A place has `list()`, which returns [{name, size}], with size undefined if it is not known yet, and
// `read(name, offset, length, signal)`, which returns {bytes, at, size}: bytes of the file from `at` on, which may be
// more than were asked for, and the size of the file if the answer says so. A place whose bytes are at hand has
// `now(name, offset, length)` as well, which returns them at once.
import { fail } from "./errors.mjs";

export const BUNDLE = "trebuchet.headers";

/** Whether a name is that of a table file: KRPvKR.dtz.treb, KRPvKR.rtbw. */
export const isTable = (name) => /^K[QRBNP]*vK[QRBNP]*\.(?:(?:wdl|dtz|dtc|dtm|dtm50)\.treb|rtb[wz])$/.test(name);

const named = (files) => files.filter(({ name }) => isTable(name));

// ---- A folder of a web host ------------------------------------------------------------------------

const TRIES = 3;
const passing = (status) => status === 429 || status >= 500;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class WebFolder {
    constructor(url, { fetch: fetcher, headers } = {}) {
        this.url = url.endsWith("/") ? url : `${url}/`;
        this.key = this.url;
        this.fetch = fetcher || ((...args) => globalThis.fetch(...args));
        this.headers = headers || {};
        this.requests = 0;
        this.bytes = 0;
    }

    async #request(name, range, signal) {
        const headers = range ? { ...this.headers, Range: range } : this.headers;
        let last;
        for (let attempt = 0; attempt < TRIES; attempt++) {
            if (attempt > 0) await pause(200 * 4 ** (attempt - 1));
            signal?.throwIfAborted();
            this.requests++;
            try {
                const answer = await this.fetch(this.url + name, { headers, signal });
                if (!passing(answer.status)) {
                    const bytes = answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
                    this.bytes += bytes?.length || 0;
                    return { answer, bytes };
                }
                last = new Error(`HTTP ${answer.status}`);
            } catch (error) {
                if (signal?.aborted) throw signal.reason;
                last = error;
            }
        }
        return fail("NETWORK", `${this.url}${name}: cannot be read: ${last.message}`, { cause: last });
    }

    async list(signal) {
        const { answer, bytes } = await this.#request("SHA256SUMS", null, signal);
        if (!answer.ok) {
            const why = `HTTP ${answer.status}`;
            fail("NETWORK", `${this.url}: has neither ${BUNDLE} nor SHA256SUMS (${why}): trebuchet gen --web writes the first, 'sha256sum *.treb > SHA256SUMS' the second`);
        }
        const names = new TextDecoder().decode(bytes).matchAll(/^[0-9a-f]{64} [ *](\S+)$/gm);
        return named([...names].map(([, name]) => ({ name })));
    }

    /** The first bytes of the bundle, or null if the folder has none. */
    async bundle(offset, length, signal) {
        const read = await this.#ranged(BUNDLE, offset, length, signal);
        return read.missing ? null : read;
    }

    async read(name, offset, length, signal) {
        const read = await this.#ranged(name, offset, length, signal);
        if (read.missing) fail("NETWORK", `${this.url}${name}: is listed, but not there (HTTP ${read.missing})`);
        return read;
    }

    async #ranged(name, offset, length, signal) {
        const { answer, bytes } = await this.#request(name, `bytes=${offset}-${offset + length - 1}`, signal);
        if (!answer.ok) return { missing: answer.status };
        // A host that knows no ranges sends the whole file.
        if (answer.status === 200) return { bytes, at: 0, size: bytes.length };
        const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.headers.get("Content-Range") || "");
        if (range && Number(range[1]) !== offset) fail("NETWORK", `${this.url}${name}: the host sent other bytes than asked for`);
        return { bytes, at: offset, size: range ? Number(range[2]) : undefined };
    }
}

// ---- Files and bytes -------------------------------------------------------------------------------

/** Files that the user chose: an array of File, or of {name, Blob} pairs. */
export class ChosenFiles {
    constructor(files) {
        this.files = new Map(files.map((file) => [file.name, file]));
    }

    async list() {
        return named([...this.files].map(([name, { size }]) => ({ name, size })));
    }

    async read(name, offset, length) {
        const file = this.files.get(name);
        const bytes = new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
        return { bytes, at: offset, size: file.size };
    }
}

/** A folder that the user chose: a FileSystemDirectoryHandle. */
export class ChosenFolder extends ChosenFiles {
    constructor(handle) {
        super([]);
        this.handle = handle;
    }

    async list() {
        for await (const entry of this.handle.values())
            if (entry.kind === "file" && isTable(entry.name)) this.files.set(entry.name, await entry.getFile());
        return super.list();
    }
}

const bytesOf = (value) =>
    value instanceof Uint8Array
        ? value
        : ArrayBuffer.isView(value)
          ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
          : new Uint8Array(value);

/** Bytes in memory: {"KQvK.wdl.treb": Uint8Array or ArrayBuffer, ...}. */
export class Bytes {
    constructor(files) {
        this.files = new Map(Object.entries(files).map(([name, value]) => [name, bytesOf(value)]));
    }

    async list() {
        return named([...this.files].map(([name, { length }]) => ({ name, size: length })));
    }

    now(name, offset, length) {
        return this.files.get(name).subarray(offset, offset + length);
    }
}

/** A folder of this machine, in Node. */
export class NodeFolder {
    constructor(path) {
        this.fs = process.getBuiltinModule("node:fs");
        this.path = path;
        this.open = new Map();
    }

    async list() {
        let names;
        try {
            names = this.fs.readdirSync(this.path).filter(isTable);
        } catch (cause) {
            fail("IO", `${this.path}: cannot be listed: ${cause.message}`, { cause });
        }
        return names.map((name) => ({ name, size: this.fs.statSync(`${this.path}/${name}`).size }));
    }

    now(name, offset, length) {
        if (!this.open.has(name)) this.open.set(name, this.fs.openSync(`${this.path}/${name}`));
        const bytes = new Uint8Array(length);
        const got = this.fs.readSync(this.open.get(name), bytes, 0, length, offset);
        return got === length ? bytes : bytes.subarray(0, got);
    }

    close() {
        for (const file of this.open.values()) this.fs.closeSync(file);
        this.open.clear();
    }
}

/** A way of one's own: {files: [{name, size}], read(name, offset, length, signal)}; `files` may be a function. */
export class OwnReader {
    constructor(own) {
        this.own = own;
        this.key = own.key;
    }

    async list(signal) {
        const { files } = this.own;
        return named([...(typeof files === "function" ? await files(signal) : files)]);
    }

    async read(name, offset, length, signal) {
        const bytes = bytesOf(await this.own.read(name, offset, length, signal));
        if (bytes.length !== length)
            fail("IO", `${name}: read() returned ${bytes.length} bytes instead of ${length}`);
        return { bytes, at: offset };
    }
}

// ---- What the user gave ----------------------------------------------------------------------------

const isNode = () => typeof process !== "undefined" && typeof process.getBuiltinModule === "function";
const filesOf = (list) => new ChosenFiles([...list]);

function placeOfText(text, options) {
    if (/^https?:\/\//i.test(text)) return new WebFolder(text, options);
    if (isNode()) {
        const path = text.startsWith("file:") ? process.getBuiltinModule("node:url").fileURLToPath(text) : text;
        return new NodeFolder(path);
    }
    if (typeof location !== "undefined") return new WebFolder(new URL(text, location.href).href, options);
    return fail("ARGUMENT", `${text}: is not an address`);
}

/** The place that an argument of Trebuchet.open means. */
export function placeOf(what, options) {
    if (typeof what === "string") return placeOfText(what, options);
    if (what instanceof URL) return placeOfText(what.href, options);
    if (what && typeof what.read === "function" && what.files) return new OwnReader(what);
    if (what && typeof what.values === "function" && what.kind === "directory") return new ChosenFolder(what);
    if (what && typeof what.slice === "function" && typeof what.name === "string") return filesOf([what]);
    if (what && typeof what[Symbol.iterator] === "function") return filesOf(what);
    if (what && typeof what === "object") return new Bytes(what);
    return fail("ARGUMENT", "tables are given as an address, files, a folder, bytes, or {files, read}");
}
