/** Catches uncaught errors of extensions, in a timer for instance: they must not end the program. */
import { basename, dirname, sep } from "node:path";

import { log, onDispose } from "@tau/utils";

import type { Extension } from "../api/extension.ts";
import { currentScope, type ExtensionScope } from "./scope.ts";

type Uncaught = "uncaughtException" | "unhandledRejection";

/** The extensions of one session, and what is done about an error of one of them. */
interface Guard {
	readonly scope: ExtensionScope;
	extensions(): readonly Extension[];
	onUncaught(extension: Extension, error: unknown): void;
}

/** The last claimed error, which other listeners ignore. It may be any value. */
let claimed: { error: unknown } | undefined;

/** All sessions of the process share one pair of listeners. */
const guards = new Set<Guard>();

/** This one, and the one that ends the program if there is no other listener. */
const plainListeners = 2;

export function isAttributed(error: unknown): boolean {
	return claimed !== undefined && Object.is(claimed.error, error);
}

/** Errors that come from an extension are reported to its session; all others end the program as before. */
export function attributeUncaught(guard: Guard): Disposable {
	if (guards.size === 0) {
		// Before all others: they ask whether it is a stray.
		process.prependListener("uncaughtException", onException);
		process.prependListener("unhandledRejection", onRejection);
	}
	guards.add(guard);
	return onDispose(() => {
		if (!guards.delete(guard) || guards.size > 0) return;
		process.off("uncaughtException", onException);
		process.off("unhandledRejection", onRejection);
	});
}

function onException(error: unknown): void {
	handle("uncaughtException", error);
}

function onRejection(error: unknown): void {
	handle("unhandledRejection", error);
}

function handle(event: Uncaught, error: unknown): void {
	const owner = ownerOf(error);
	claimed = owner && { error };
	if (owner) return owner.guard.onUncaught(owner.extension, error);
	// A mode with a screen listens too, and knows better what to do about it.
	if (process.listenerCount(event) > plainListeners) return;
	log.error("uncaught error", {
		reason: String(error),
		stack: error instanceof Error ? (error.stack ?? "") : "",
	});
	throw error;
}

/** The session that runs now comes first: several may have loaded the same file. */
function ownerOf(error: unknown): { guard: Guard; extension: Extension } | undefined {
	const scope = currentScope();
	const ordered = [...guards].toSorted((a, b) => Number(b.scope === scope) - Number(a.scope === scope));
	for (const guard of ordered) {
		const extension = culprit(error, guard.extensions());
		if (extension) return { guard, extension };
	}
	return undefined;
}

/** The extension whose file is in the trace. */
function culprit(error: unknown, extensions: readonly Extension[]): Extension | undefined {
	// Tau throws only Errors: any other value, which has no trace, comes from an extension that is not bundled.
	if (!(error instanceof Error)) return extensions.find(({ path }) => !path.startsWith("<builtin:"));
	const { stack = "" } = error;
	return extensions.find(({ path }) => isInTrace(stack, path));
}

export function isInTrace(trace: string, path: string): boolean {
	// A separate folder belongs to the extension; beside a single file may be anything.
	const hasFolder = /^index\.\w+$/.test(basename(path));
	return trace.includes(hasFolder ? dirname(path) + sep : path);
}
