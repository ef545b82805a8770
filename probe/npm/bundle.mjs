// bundle.mjs - the file trebuchet.headers of a folder: which tables there are, and their headers (docs/format.md).
import { TrebuchetError } from "./errors.mjs";
import { BUNDLE, isTable } from "./places.mjs";
import { unpack } from "./unpack.mjs";

const MAGIC = "TREBHDRS";
const FIRST = 65536; // bytes of the first request, which have the list of some hundred tables
const HEAD = 24;

const text = (bytes) => String.fromCharCode(...bytes);
const damaged = (place, cause) =>
    new TrebuchetError("DAMAGED", `${place.url}${BUNDLE}: damaged: write it again with 'trebuchet gen --web'`, { cause });

/** The list; the headers begin at `start` of the bundle. */
function parseList(list, start) {
    const view = new DataView(list.buffer, list.byteOffset, list.length);
    const files = [];
    for (let at = 0; at < list.length; ) {
        const length = list[at];
        const name = text(list.subarray(at + 1, at + 1 + length));
        at += 1 + length;
        const number = (offset) => Number(view.getBigUint64(at + offset, true));
        const header = { at: start + number(8), packed: view.getUint32(at + 16, true), size: view.getUint32(at + 20, true) };
        files.push({ name, size: number(0), header: header.size > 0 ? header : undefined });
        at += 24;
    }
    return files.filter(({ name }) => isTable(name));
}

/** The files of a folder of a web host by its bundle; null if it has none. */
export async function readBundle(place, signal) {
    let read = await place.bundle(0, FIRST, signal);
    if (!read) return null;
    const view = new DataView(read.bytes.buffer, read.bytes.byteOffset, read.bytes.length);
    if (read.bytes.length < HEAD || text(read.bytes.subarray(0, 8)) !== MAGIC) throw damaged(place);
    if (view.getUint32(8, true) !== 1)
        throw new TrebuchetError("DAMAGED", `${place.url}${BUNDLE}: is of a newer version than this library reads`);
    const packed = view.getUint32(16, true);
    const size = view.getUint32(20, true);
    if (HEAD + packed > read.bytes.length) read = await place.bundle(0, HEAD + packed, signal);
    try {
        return parseList(await unpack(read.bytes.subarray(HEAD, HEAD + packed), size), HEAD + packed);
    } catch (cause) {
        throw damaged(place, cause);
    }
}
