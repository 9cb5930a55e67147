/** An open file that is synced to disk off the main thread, and closed afterwards. */
import { closeSync, fdatasync, fdatasyncSync } from "node:fs";

import { syncPolicy } from "../limits.ts";

export class DiskFile implements Disposable {
	readonly fd: number;
	#state: "clean" | "syncing" | "dirty" = "clean";
	#isClosed = false;

	constructor(fd: number) {
		this.fd = fd;
	}

	/** Called after lines of the conversation were written. */
	written(): void {
		if (syncPolicy === "entry") fdatasyncSync(this.fd);
		else if (this.#state === "clean") this.#sync();
		else this.#state = "dirty";
	}

	/** Everything that was written is on disk when this returns. */
	syncNow(): void {
		fdatasyncSync(this.fd);
	}

	[Symbol.dispose](): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		// If a descriptor were closed while the other thread uses it, its number could refer to another file.
		if (this.#state === "clean") closeSync(this.fd);
	}

	#sync(): void {
		this.#state = "syncing";
		fdatasync(this.fd, () => {
			// A disk that fails here also fails the next write, which is reported.
			const again = this.#state === "dirty";
			this.#state = "clean";
			if (this.#isClosed) closeSync(this.fd);
			else if (again) this.#sync();
		});
	}
}
