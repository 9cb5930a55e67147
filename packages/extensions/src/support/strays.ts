/** Catches what an extension throws where nobody waits for it, in a timer for instance: it must not end the program. */
import { basename, dirname, sep } from "node:path";

import { log } from "@tau/utils";

import type { Extension } from "../api/extension.ts";

type Uncaught = "uncaughtException" | "unhandledRejection";

/** What was thrown last, if an extension was found for it: whoever else listens lets it be. It may be anything. */
let claimed: { error: unknown } | undefined;

/** This one, and the one that ends the program when nobody else listens. */
const plainListeners = 2;

export function isStray(error: unknown): boolean {
	return claimed !== undefined && Object.is(claimed.error, error);
}

/** What comes from an extension is told; everything else ends the program, as it would have. */
export function catchStrays(
	extensions: () => readonly Extension[],
	onStray: (extension: Extension, error: unknown) => void,
): Disposable {
	using owned = new DisposableStack();
	const hear = (event: Uncaught, error: unknown): void => {
		const extension = ownerOf(error, extensions());
		claimed = extension && { error };
		if (extension) return onStray(extension, error);
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
	// Tau throws errors alone: what is none, and has no trace, comes from an extension that it did not bring along.
	if (!(error instanceof Error)) return extensions.find(({ path }) => !path.startsWith("<builtin:"));
	const { stack = "" } = error;
	return extensions.find(({ path }) => isInTrace(stack, path));
}

export function isInTrace(trace: string, path: string): boolean {
	// A folder of its own is all the extension's; beside a single file may lie anything.
	const hasFolder = /^index\.\w+$/.test(basename(path));
	return trace.includes(hasFolder ? dirname(path) + sep : path);
}
