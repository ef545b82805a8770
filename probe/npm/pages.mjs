// pages.mjs - pages of table files that were read: in memory and, if wanted, in the browser's database.
export const PAGE = 4096;

/** Pages in memory, by a text; those that were not used for longest go first. */
export class MemoryPages {
    constructor(budget) {
        this.budget = budget;
        this.size = 0;
        this.pages = new Map(); // the oldest first
    }

    get(key) {
        const page = this.pages.get(key);
        if (page === undefined) return undefined;
        this.pages.delete(key);
        this.pages.set(key, page);
        return page;
    }

    has(key) {
        return this.pages.has(key);
    }

    put(key, page) {
        this.remove(key);
        this.pages.set(key, page);
        this.size += page.length;
    }

    remove(key) {
        this.size -= this.pages.get(key)?.length || 0;
        this.pages.delete(key);
    }

    /** Drops what is above the budget. Not while a probe still collects its pages. */
    trim() {
        for (const [key, page] of this.pages) {
            if (this.size <= this.budget) return;
            this.pages.delete(key);
            this.size -= page.length;
        }
    }
}

const done = (request) =>
    new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });

/**
 * Pages in the browser's database, IndexedDB, so that a later visit need not fetch them. Its failures do not matter: what it
 * does not give is fetched.
 */
export class StoredPages {
    static async open(budget, name = "trebuchet") {
        if (typeof indexedDB === "undefined") return null;
        try {
            const request = indexedDB.open(name, 1);
            request.onupgradeneeded = () => {
                const store = request.result.createObjectStore("pages");
                store.createIndex("used", "used");
            };
            const stored = new StoredPages();
            stored.database = await done(request);
            stored.budget = budget;
            stored.waiting = [];
            await stored.trim();
            return stored;
        } catch {
            return null;
        }
    }

    #store(mode) {
        return this.database.transaction("pages", mode).objectStore("pages");
    }

    /** The pages of some keys: undefined for those it does not have. */
    async get(keys) {
        try {
            const store = this.#store("readonly");
            const found = await Promise.all(keys.map((key) => done(store.get(key))));
            return found.map((entry) => entry?.bytes);
        } catch {
            return keys.map(() => undefined);
        }
    }

    put(entries) {
        const write = async () => {
            const store = this.#store("readwrite");
            const used = Date.now();
            await Promise.all(entries.map(([key, bytes]) => done(store.put({ bytes, used }, key))));
        };
        this.waiting.push(write().catch(() => {}));
    }

    remove(key) {
        this.waiting.push((async () => done(this.#store("readwrite").delete(key)))().catch(() => {}));
    }

    /** Deletes what was stored first if there is more than the budget, all pages counted as whole. */
    async trim() {
        const store = this.#store("readwrite");
        let over = (await done(store.count())) - Math.floor(this.budget / PAGE);
        if (over <= 0) return;
        await new Promise((resolve, reject) => {
            const request = store.index("used").openKeyCursor();
            request.onerror = () => reject(request.error);
            request.onsuccess = () => {
                if (!request.result || over-- <= 0) return resolve();
                store.delete(request.result.primaryKey);
                request.result.continue();
            };
        });
    }

    async settled() {
        await Promise.all(this.waiting.splice(0));
    }

    async close() {
        await this.settled();
        this.database.close();
    }
}
