/** Catches what an extension throws where nobody waits for it, in a timer for instance: it must not end the program. */
import { basename, dirname, sep } from "node:path";

import { log } from "@tau/utils";

import type { Extension } from "./extension.ts";

type Uncaught = "uncaughtException" | "unhandledRejection";

/** Errors that an extension was found for: whoever else listens lets them be. */
const claimed = new WeakSet<object>();

/** This one, and the one that ends the program when nobody else listens. */
const plainListeners = 2;

export function isStray(error: unknown): boolean {
	return typeof error === "object" && error !== null && claimed.has(error);
}

/** What comes from an extension is told; everything else ends the program, as it would have. */
export function catchStrays(
	extensions: () => readonly Extension[],
	onStray: (extension: Extension, error: unknown) => void,
): Disposable {
	using owned = new DisposableStack();
	const hear = (event: Uncaught, error: unknown): void => {
		const extension = ownerOf(error, extensions());
		if (extension) {
			if (typeof error === "object" && error !== null) claimed.add(error);
			return onStray(extension, error);
		}
		// A mode with a screen listens too, and knows better what to do with it.
		if (process.listenerCount(event) > plainListeners) return;
		log.error("uncaught error", {
			reason: String(error),
			stack: error instanceof Error ? (error.stack ?? "") : "",
		});
		throw error;
	};
	const thrown = (error: unknown): void => hear("uncaughtException", error);
	const rejected = (error: unknown): void => hear("unhandledRejection", error);
	// Before all others: they ask whether it is a stray.
	process.prependListener("uncaughtException", thrown);
	process.prependListener("unhandledRejection", rejected);
	owned.defer(() => process.off("uncaughtException", thrown));
	owned.defer(() => process.off("unhandledRejection", rejected));
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
