/** What a guest has seen of a session, as a session file of its own: entries are kept as they came. */
import { appendFileSync, chmodSync, writeFileSync } from "node:fs";

import { SessionManager } from "@tau/log";
import { log } from "@tau/utils";
import type { Entry, SessionClient } from "@tau/wire";

import { limits } from "./limits.ts";

export class ReplicaFile implements Disposable {
	readonly #file: string;
	readonly #client: SessionClient;
	readonly #owned = new DisposableStack();
	readonly #known = new Set<string>();
	#bytes = 0;
	#isBroken = false;

	/** Begins anew: what an earlier visit has left is replaced. */
	constructor(file: string, client: SessionClient) {
		this.#file = file;
		this.#client = client;
		this.#write([], true);
		this.#follow();
		// Events come after the entries that they are about.
		this.#owned.use(client.subscribe(({ type }) => void (type === "message_update" || this.#follow())));
		this.#owned.use(client.onReset(() => this.#follow()));
	}

	/** Fetches what came before, and writes an export beside the guest's own files. Gives its path. */
	async exportTo(file: string | undefined): Promise<string> {
		await this.#complete();
		const { exportSession } = await import("@tau/session/export");
		const read = SessionManager.tryOpen(this.#file, { access: "read" });
		if (!read.ok) throw new Error(`${this.#file} cannot be read, so there is nothing to export.`);
		using session = read.session;
		return await exportSession(session, { file, cwd: process.cwd(), replace: file === undefined });
	}

	[Symbol.dispose](): void {
		this.#follow();
		this.#owned.dispose();
	}

	#follow(): void {
		const fresh = this.#client.view.tail.entries.filter(({ id }) => !this.#known.has(id));
		if (fresh.length > 0) this.#write(fresh, false);
	}

	async #complete(): Promise<void> {
		const pages: (readonly Entry[])[] = [this.#client.view.tail.entries];
		for (let first = pages[0]?.[0]; first?.parentId; first = pages[0]?.[0]) {
			const { entries } = await this.#client.request("get_entries", { before: first.id });
			if (entries.length === 0) break;
			pages.unshift(entries);
		}
		this.#known.clear();
		this.#write(pages.flat(), true);
	}

	#write(entries: readonly Entry[], isAnew: boolean): void {
		if (this.#isBroken) return;
		const { id, cwd } = this.#client.view.facts.session;
		const header = { type: "session", version: 3, id, timestamp: new Date().toISOString(), cwd };
		const text = [...(isAnew ? [header] : []), ...entries]
			.map((line) => `${JSON.stringify(line)}\n`)
			.join("");
		this.#bytes = (isAnew ? 0 : this.#bytes) + text.length;
		try {
			if (this.#bytes > limits.replicaBytes) throw new Error("It is larger than a guest keeps.");
			if (isAnew) {
				writeFileSync(this.#file, text, { mode: 0o600 });
				chmodSync(this.#file, 0o600);
			} else appendFileSync(this.#file, text);
			for (const entry of entries) this.#known.add(entry.id);
		} catch (error) {
			// The screen does not need it; only /export does, which says so.
			this.#isBroken = true;
			log.warn("the copy of a shared session is not kept", { file: this.#file, reason: String(error) });
		}
	}
}
