/** Delegates writes and deletions that this process may not make, such as to a broker outside a sandbox. */
import { log, onDispose } from "@tau/utils";

import type { FileChange } from "./change.ts";
import { layered } from "./layered.ts";
import type { Machine } from "./machine.ts";

/** `dst` is the real path, behind all links; `cause` is why this process could not do it. */
export interface DeniedWrite {
	dst: string;
	content: string;
	cause: unknown;
}

export interface DeniedDelete {
	dst: string;
	/** Whether it is known to be a regular file. */
	confirmedFile: boolean;
	cause: unknown;
}

/** Resolves with true when it made the change. */
export type WriteFallback = (denied: DeniedWrite) => Promise<boolean>;
export type DeleteFallback = (denied: DeniedDelete) => Promise<boolean>;

/** The fallbacks of one session, tried in the order in which they were added. */
export class FileFallbacks {
	readonly #writers = new Set<WriteFallback>();
	readonly #deleters = new Set<DeleteFallback>();

	addWriter(write: WriteFallback): Disposable {
		this.#writers.add(write);
		return onDispose(() => this.#writers.delete(write));
	}

	addDeleter(remove: DeleteFallback): Disposable {
		this.#deleters.add(remove);
		return onDispose(() => this.#deleters.delete(remove));
	}

	/** Whether one of them made the change; one that throws counts as failed. */
	async tryChange(
		{ before, after }: FileChange,
		isFile: () => Promise<boolean>,
		cause: unknown,
	): Promise<boolean> {
		const dst = before.target;
		if (!after) {
			if (this.#deleters.size === 0) return false;
			return await anyOf(this.#deleters, { dst, confirmedFile: await isFile(), cause });
		}
		// Fallbacks accept only text.
		if (after.bytes) return false;
		const content = after.hasBom ? `\ufeff${after.text}` : after.text;
		return await anyOf(this.#writers, { dst, content, cause });
	}
}

/** A machine whose denied changes are offered to the fallbacks of a session. */
export function withFallback(machine: Machine, fallbacks: FileFallbacks): Machine {
	const { files } = machine;
	const isFile = async (path: string): Promise<boolean> => {
		// A file that may not be changed can often not be read either.
		const facts = await files.lstat(path).catch(() => undefined);
		return facts?.kind === "file";
	};
	return {
		...machine,
		files: layered(files, (below) => ({
			commit: (changes, options) =>
				below.commit(changes, {
					...options,
					whenDenied: async (change, cause) =>
						(await options.whenDenied?.(change, cause)) === true ||
						fallbacks.tryChange(change, () => isFile(change.before.target), cause),
				}),
		})),
	};
}

async function anyOf<T>(fallbacks: Iterable<(denied: T) => Promise<boolean>>, denied: T): Promise<boolean> {
	for (const ask of fallbacks) {
		try {
			if ((await ask(denied)) === true) return true;
		} catch (error) {
			log.warn("a file fallback failed", { reason: String(error) });
		}
	}
	return false;
}
