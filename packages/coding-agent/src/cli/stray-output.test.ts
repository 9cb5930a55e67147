/** Output of extensions is captured once for all sessions, and reported to the session that printed. */
import { expect, test } from "bun:test";

import { ExtensionScope } from "@tau/extensions/support";

import { captureOutput } from "./capture-output.ts";

function catcher() {
	const scope = new ExtensionScope();
	const notices: string[] = [];
	const caught = captureOutput({ mode: "tui", scope, onNotice: (message) => void notices.push(message) });
	return { scope, notices, [Symbol.dispose]: () => caught[Symbol.dispose]() };
}

test("the user of the session whose extension prints is informed once", () => {
	using first = catcher();
	using second = catcher();
	second.scope.run(() => console.log("from the second"));
	second.scope.run(() => process.stdout.write("again"));
	expect([first.notices.length, second.notices.length]).toEqual([0, 1]);
	// Output of code outside of any session is reported to the first one, which owns the terminal.
	console.log("from nowhere");
	expect([first.notices.length, second.notices.length]).toEqual([1, 1]);
});

test("streams and console are restored when the last session has ended, in any order", () => {
	const before = [process.stdout.write, process.stderr.write, console.log];
	const [first, second, third] = [catcher(), catcher(), catcher()];
	for (const each of [first, third, second]) {
		expect(process.stdout.write).not.toBe(before[0] as typeof process.stdout.write);
		each[Symbol.dispose]();
	}
	expect([process.stdout.write, process.stderr.write, console.log]).toEqual(before);
});
