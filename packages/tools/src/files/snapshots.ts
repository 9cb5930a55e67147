/** The states of each file that the model has seen: tags, and their texts within a limit. */
import type { ChangeJournal } from "@tau/log/journal";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";
import { tagOf, textHash } from "./hashline.ts";
import { limits } from "./limits.ts";

/** One state of a file that the model was shown. */
export interface Snapshot {
	readonly tag: string;
	readonly hash: bigint;
	/** The text is dropped when others need the space. */
	text: string | undefined;
}

export class Snapshots implements Disposable {
	/** Files by real path, with the most recently seen file last; their states have the same order. */
	readonly #files = new Map<string, Snapshot[]>();
	readonly #maxChars: number;
	#chars = 0;
	#following: Disposable | undefined;

	constructor(maxChars: number = limits.snapshotChars) {
		this.#maxChars = maxChars;
	}

	/** The model has seen the whole or a part of this text, or wrote it. */
	record(path: string, text: string): string {
		const hash = textHash(text);
		const states = (this.#files.get(path) ?? []).filter((state) => state.hash !== hash || this.#letGo(state));
		const kept = text.length <= this.#maxChars ? text : undefined;
		this.#chars += kept?.length ?? 0;
		states.push({ tag: tagOf(hash), hash, text: kept });
		if (states.length > limits.snapshotsPerFile) this.#letGo(states.shift());
		this.#files.delete(path);
		this.#files.set(path, states);
		this.#makeRoom();
		return tagOf(hash);
	}

	/** The state that was seen last. */
	latest(path: string): Snapshot | undefined {
		return this.#files.get(path)?.at(-1);
	}

	find(path: string, tag: string): Snapshot | undefined {
		return this.#files.get(path)?.findLast((state) => state.tag === tag);
	}

	forget(path: string): void {
		for (const state of this.#files.get(path) ?? []) this.#letGo(state);
		this.#files.delete(path);
	}

	/** Files that are deleted or moved are forgotten from now on. */
	follow(journal: Pick<ChangeJournal, "subscribe">): this {
		this.#following = journal.subscribe((event) => {
			if (event.type !== "recorded") return;
			for (const { kind, path, renamedFrom } of event.entries) {
				const gone = kind === "deleted" ? path : renamedFrom;
				if (gone !== undefined) this.forget(gone);
			}
		});
		return this;
	}

	[Symbol.dispose](): void {
		this.#following?.[Symbol.dispose]();
	}

	/** Always false, for use in `filter`. */
	#letGo(state: Snapshot | undefined): false {
		this.#chars -= state?.text?.length ?? 0;
		if (state) state.text = undefined;
		return false;
	}

	#makeRoom(): void {
		for (const [path, states] of this.#files) {
			if (this.#chars <= this.#maxChars && this.#files.size <= limits.snapshotFiles) return;
			for (const state of states) if (this.#chars > this.#maxChars) this.#letGo(state);
			if (this.#files.size > limits.snapshotFiles) this.forget(path);
		}
	}
}

const serviceKey: ServiceKey<Snapshots> = {
	name: "file snapshots",
	create: ({ journal }) => new Snapshots().follow(journal),
};

export function snapshotsOf(env: ToolEnv): Snapshots {
	return env.services.get(serviceKey, env);
}

/** Must be called with the whole text of a file when some of it is shown to the model; returns its tag. */
export async function recordRead(env: ToolEnv, absolute: string, text: string): Promise<string> {
	// The file existed a moment ago; the seen text still deserves a tag.
	const path = await env.machine.files.realpath(absolute).catch(() => absolute);
	return snapshotsOf(env).record(path, text.startsWith("\ufeff") ? text.slice(1) : text);
}
