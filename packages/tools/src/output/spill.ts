/** Writes a whole output to an artifact, as it came, once it is known to be too long to be shown. */
import type { Artifact, ArtifactStore } from "@tau/session/artifacts";

import { limits } from "./limits.ts";

export class Spill implements Disposable {
	readonly #store: ArtifactStore;
	readonly #tool: string;
	#artifact: Artifact | undefined;
	#failed = false;
	#written = 0;
	#lost = 0;

	constructor(store: ArtifactStore, tool: string) {
		this.#store = store;
		this.#tool = tool;
	}

	/** The part after `artifact://`; absent when nothing was written, or no file could be created. */
	get id(): string | undefined {
		return this.#artifact?.id;
	}

	/** Bytes at the end that are not in it. */
	get lost(): number {
		return this.#lost + (this.#artifact?.lost ?? 0);
	}

	write(chunk: Uint8Array): void {
		this.#open();
		const room = Math.max(0, limits.artifactBytes - this.#written);
		this.#artifact?.write(chunk.subarray(0, room));
		this.#written += Math.min(chunk.length, room);
		this.#lost += Math.max(0, chunk.length - room);
	}

	[Symbol.dispose](): void {
		this.#artifact?.[Symbol.dispose]();
	}

	#open(): void {
		if (this.#artifact || this.#failed) return;
		try {
			this.#artifact = this.#store.open(this.#tool);
		} catch {
			// The directory cannot be created: the output is shown up to its limit, and not stored.
			this.#failed = true;
		}
	}
}
