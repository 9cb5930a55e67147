/** The local storage of a project's pages, kept between its sessions as its cookies are: logins are often there. */
import { abortable, isRecord, log } from "@tau/utils";
import type { CDPSession, Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import type { ToolEnv } from "@tau/tools/tool";
import { ProjectFile } from "./project-file.ts";

type Items = Record<string, string>;

/** Runs in pages, before their own scripts. One without an origin has no storage, and throws. */
const restore = `(saved) => {
	for (const [key, value] of Object.entries(saved[location.origin] ?? {}))
		if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
}`;

interface FollowedTab {
	origin?: string;
	/** The one that restores what is saved. */
	script?: string;
	/** Offers of one tab follow each other: a navigation may come before the response to the first. */
	offered: Promise<void>;
}

export class ProjectStorage {
	readonly #file: ProjectFile;
	readonly #env: Pick<ToolEnv, "settings">;
	/** By origin: what this browser has, as its pages change it. */
	readonly #now = new Map<string, Items>();
	/** What an earlier browser had, of origins that this one has not been to. */
	#saved: Record<string, Items> = {};
	readonly #tabs = new Map<CDPSession, FollowedTab>();

	constructor(env: Pick<ToolEnv, "env" | "cwd" | "settings">) {
		this.#env = env;
		this.#file = new ProjectFile(env, ".storage.json", limits.storageFileBytes);
	}

	/** For a browser that has just started: it has nothing yet. */
	async begin(): Promise<void> {
		this.#now.clear();
		this.#tabs.clear();
		this.#saved = this.#isKept ? await this.#read() : {};
	}

	/** To be awaited before a tab goes to its first page, or that page may miss what is saved. */
	async follow(tab: CDPSession): Promise<void> {
		if (!this.#isKept) return;
		const changed = (id: Protocol.DOMStorage.StorageId, change: (items: Items) => void): void => {
			const origin = id.isLocalStorage ? originOf(id) : undefined;
			if (origin !== undefined) change(this.#itemsOf(origin));
		};
		tab.on("DOMStorage.domStorageItemAdded", ({ storageId, key, newValue }) =>
			changed(storageId, (items) => void (items[key] = newValue)),
		);
		tab.on("DOMStorage.domStorageItemUpdated", ({ storageId, key, newValue }) =>
			changed(storageId, (items) => void (items[key] = newValue)),
		);
		tab.on("DOMStorage.domStorageItemRemoved", ({ storageId, key }) =>
			changed(storageId, (items) => void delete items[key]),
		);
		tab.on("DOMStorage.domStorageItemsCleared", ({ storageId }) =>
			changed(storageId, (items) => {
				for (const key of Object.keys(items)) delete items[key];
			}),
		);
		const about: FollowedTab = { offered: Promise.resolve() };
		tab.on("Page.frameNavigated", ({ frame }) => {
			if (frame.parentId === undefined) about.origin = frame.securityOrigin;
			// What a page has deleted must not come back with its next document.
			void this.#visited(frame.securityOrigin);
		});
		// The tab may be gone again.
		void tab.send("DOMStorage.enable").catch(() => {});
		this.#tabs.set(tab, about);
		await this.#offer(tab);
	}

	forget(tab: CDPSession): void {
		this.#tabs.delete(tab);
	}

	async save(): Promise<void> {
		if (!this.#isKept) return;
		try {
			await Promise.all([...this.#tabs].map(([tab, { origin }]) => this.#look(tab, origin)));
			if (this.#now.size === 0) return;
			// Another session of this project may have saved meanwhile.
			const all = { ...(await this.#read()), ...Object.fromEntries(this.#now) };
			await this.#file.write(bounded(all));
		} catch (error) {
			log.warn("the local storage of pages was not saved", { reason: String(error) });
		}
	}

	/** Deletes it, also in the pages that are open. */
	async clear(): Promise<void> {
		this.#saved = {};
		const [tab] = this.#tabs.keys();
		for (const origin of this.#now.keys())
			await tab
				?.send("Storage.clearDataForOrigin", { origin, storageTypes: "local_storage" })
				.catch(() => {});
		this.#now.clear();
		await this.#offerAll();
		if (this.#isKept) await this.#file.write({});
	}

	/** Events of the last changes may not have arrived. */
	async #look(tab: CDPSession, origin: string | undefined): Promise<void> {
		if (origin === undefined || !/^https?:/.test(origin)) return;
		const storageId = { securityOrigin: origin, isLocalStorage: true };
		// A page that does not answer is known by its events.
		const asked = tab.send("DOMStorage.getDOMStorageItems", { storageId });
		const found = await abortable(asked, AbortSignal.timeout(limits.titleMs)).catch(() => undefined);
		if (!found || (found.entries.length === 0 && !this.#now.has(origin))) return;
		this.#now.set(origin, Object.fromEntries(found.entries.map(([key = "", value = ""]) => [key, value])));
	}

	get #isKept(): boolean {
		return this.#env.settings.get("browser.keepCookies");
	}

	#itemsOf(origin: string): Items {
		const known = this.#now.get(origin);
		if (known) return known;
		const items: Items = {};
		this.#now.set(origin, items);
		return items;
	}

	async #visited(origin: string): Promise<void> {
		const saved = this.#saved[origin];
		if (!saved) return;
		delete this.#saved[origin];
		// The events of its restoration may be on their way.
		const items = this.#itemsOf(origin);
		for (const [key, value] of Object.entries(saved)) items[key] ??= value;
		await this.#offerAll();
	}

	async #offerAll(): Promise<void> {
		await Promise.all([...this.#tabs.keys()].map((tab) => this.#offer(tab)));
	}

	async #offer(tab: CDPSession): Promise<void> {
		const about = this.#tabs.get(tab);
		if (!about) return;
		about.offered = about.offered.then(() => this.#replaceScript(tab, about));
		await about.offered;
	}

	/** A tab that is gone or does not answer restores nothing. */
	async #replaceScript(tab: CDPSession, about: FollowedTab): Promise<void> {
		const signal = AbortSignal.timeout(limits.titleMs);
		try {
			const { script: identifier } = about;
			delete about.script;
			if (identifier !== undefined)
				await abortable(tab.send("Page.removeScriptToEvaluateOnNewDocument", { identifier }), signal);
			if (Object.keys(this.#saved).length === 0) return;
			const added = tab.send("Page.addScriptToEvaluateOnNewDocument", {
				source: `(${restore})(${JSON.stringify(this.#saved)})`,
				// A world of its own: pages do not see what others have saved.
				worldName: "tau",
			});
			about.script = (await abortable(added, signal)).identifier;
		} catch (error) {
			log.debug("a tab does not restore local storage", { reason: String(error) });
		}
	}

	async #read(): Promise<Record<string, Items>> {
		const value = await this.#file.read();
		if (!isRecord(value)) return {};
		const origins = Object.entries(value).filter((entry): entry is [string, Items] => isItems(entry[1]));
		return Object.fromEntries(origins);
	}
}

function isItems(value: unknown): value is Items {
	return isRecord(value) && Object.values(value).every((item) => typeof item === "string");
}

/** Undefined for a frame of another site: its storage belongs to the page around it. */
function originOf({ storageKey = "" }: Protocol.DOMStorage.StorageId): string | undefined {
	return storageKey.includes("^") ? undefined : URL.parse(storageKey)?.origin;
}

/** The newest origins, without those that store more than a login needs. */
function bounded(all: Record<string, Items>): Record<string, Items> {
	const small = Object.entries(all).filter(
		([, items]) => Object.keys(items).length > 0 && JSON.stringify(items).length <= limits.storageChars,
	);
	return Object.fromEntries(small.slice(-limits.storageOrigins));
}
