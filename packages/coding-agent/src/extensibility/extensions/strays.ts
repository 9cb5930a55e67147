/** Catches what an extension throws where nobody waits for it, in a timer for instance: it must not end the program. */
import { basename, dirname, sep } from "node:path";

import { listen, log } from "@tau/utils";

import type { Extension } from "./extension.ts";

/** What comes from an extension is told; everything else ends the program, as it would have. */
export function catchStrays(
	extensions: () => readonly Extension[],
	onStray: (extension: Extension, error: unknown) => void,
): Disposable {
	using owned = new DisposableStack();
	const hear = (error: unknown): void => {
		const extension = ownerOf(error, extensions());
		if (extension) onStray(extension, error);
		else {
			log.error("uncaught error", {
				reason: String(error),
				stack: error instanceof Error ? (error.stack ?? "") : "",
			});
			throw error;
		}
	};
	owned.use(listen(process, "uncaughtException", hear));
	owned.use(listen(process, "unhandledRejection", hear));
	return owned.move();
}

/** Whose file is in the trace. */
function ownerOf(error: unknown, extensions: readonly Extension[]): Extension | undefined {
	const trace = error instanceof Error ? (error.stack ?? "") : "";
	return extensions.find(({ path }) => {
		// A folder of its own is all the extension's; beside a single file may lie anything.
		const hasFolder = /^index\.\w+$/.test(basename(path));
		return trace.includes(hasFolder ? dirname(path) + sep : path);
	});
}
