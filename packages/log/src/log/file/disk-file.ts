/** An open file that is synced to disk off the main thread, and closed afterwards. */
import { closeSync, fdatasync, fdatasyncSync } from "node:fs";

import { timer } from "@tau/utils";

import { limits } from "../limits.ts";

export class DiskFile implements Disposable {
	readonly fd: number;
	#isDirty = false;
	#isSyncing = false;
	#isClosed = false;
	#syncedAt = Number.NEGATIVE_INFINITY;
	/** The next sync, for all lines until then. */
	#later: Disposable | undefined;

	constructor(fd: number) {
		this.fd = fd;
	}

	/** Called after lines of the conversation were written: they are synced at once, or with those that follow soon. */
	written(): void {
		this.#isDirty = true;
		if (this.#isSyncing || this.#later) return;
		const waitMs = this.#syncedAt + limits.syncEveryMs - performance.now();
		if (waitMs <= 0) return this.#sync();
		this.#later = timer(waitMs, () => {
			this.#later = undefined;
			this.#sync();
		});
	}

	/** No further line is expected soon: the last ones are synced without waiting for others. */
	syncSoon(): void {
		this.#later?.[Symbol.dispose]();
		this.#later = undefined;
		this.#syncedAt = Number.NEGATIVE_INFINITY;
		if (this.#isDirty) this.written();
	}

	/** Everything that was written is on disk when this returns. */
	syncNow(): void {
		fdatasyncSync(this.fd);
	}

	[Symbol.dispose](): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#later?.[Symbol.dispose]();
		// If a descriptor were closed while the other thread uses it, its number could refer to another file.
		if (!this.#isSyncing) this.#close();
	}

	#sync(): void {
		this.#isDirty = false;
		this.#isSyncing = true;
		this.#syncedAt = performance.now();
		fdatasync(this.fd, () => {
			// A disk that fails here also fails the next write, which is reported.
			this.#isSyncing = false;
			if (this.#isClosed) this.#close();
			else if (this.#isDirty) this.written();
		});
	}

	#close(): void {
		if (this.#isDirty) this.#sync();
		else closeSync(this.fd);
	}
}
