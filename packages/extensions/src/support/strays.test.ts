/** An uncaught error is reported to the session whose extension threw it, and to no other. */
import { expect, test } from "bun:test";

import { Extension } from "../api/extension.ts";
import { ExtensionScope } from "./scope.ts";
import { attributeUncaught, isAttributed } from "./attribute-uncaught.ts";

const sourceInfo = { path: "", source: "test", scope: "temporary", origin: "top-level" } as const;
const extensionAt = (path: string): Extension => new Extension(path, { ...sourceInfo, path });

function guardOf(path: string) {
	const scope = new ExtensionScope();
	const errors: unknown[] = [];
	const extension = extensionAt(path);
	const guard = attributeUncaught({
		scope,
		extensions: () => [extension],
		onUncaught: (_, error) => void errors.push(error),
	});
	return { scope, errors, [Symbol.dispose]: () => guard[Symbol.dispose]() };
}

function errorFrom(path: string): Error {
	return Object.assign(new Error("boom"), { stack: `Error: boom\n    at later (${path}:3:4)` });
}

const listeners = () =>
	["uncaughtException", "unhandledRejection"].map((event) => process.listenerCount(event));

test("all sessions share one pair of listeners, which is removed with the last of them", () => {
	const before = listeners();
	const guards = Array.from({ length: 10 }, (_, index) => guardOf(`/e/${index}.ts`));
	expect(listeners()).toEqual(before.map((count) => count + 1));
	for (const guard of guards) guard[Symbol.dispose]();
	expect(listeners()).toEqual(before);
});

test("the file in the trace identifies the extension", () => {
	using first = guardOf("/e/first.ts");
	using second = guardOf("/e/second.ts");
	const error = errorFrom("/e/second.ts");
	process.emit("uncaughtException", error);
	expect([first.errors, second.errors]).toEqual([[], [error]]);
	expect(isAttributed(error)).toBe(true);
});

test("of two sessions with the same file, the one whose code runs gets the error", () => {
	using first = guardOf("/e/same.ts");
	using second = guardOf("/e/same.ts");
	const [one, two] = [errorFrom("/e/same.ts"), errorFrom("/e/same.ts")];
	second.scope.run(() => process.emit("uncaughtException", one));
	first.scope.run(() => process.emit("uncaughtException", two));
	expect([first.errors, second.errors]).toEqual([[two], [one]]);
});
