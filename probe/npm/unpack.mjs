// unpack.mjs - unpacking what zlib packed, by the browser or Node itself.

export async function unpack(bytes, size) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const out = new Uint8Array(await new Response(stream).arrayBuffer());
    if (size !== undefined && out.length !== size) throw new Error(`${out.length} bytes instead of ${size}`);
    return out;
}

export function fromBase64(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}
