/** What the watching thread makes of the bytes that a terminal sends. */
import { describe, expect, test } from "bun:test";

import { limits } from "./limits.ts";
import { SharedState } from "./shared-state.ts";
import { CtrlC } from "./terminal-guard.ts";

const forms = {
	"the byte": "\x03",
	"the kitty protocol": "\x1b[99;5u",
	"the kitty protocol with an event": "\x1b[99;5:1u",
	"the kitty protocol with other layouts": "\x1b[99:1089:99;5u",
	"a Cyrillic layout": "\x1b[1089::99;5u",
	"num lock": "\x1b[99;133u",
	modifyOtherKeys: "\x1b[27;5;99~",
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe("Ctrl+C is found, cut anywhere, and other keys stay in order:", () => {
	test.each(Object.entries(forms))("%s", (_, form) => {
		const all = Buffer.from(`ä${form}\x1b[Ab${form}c\x1b`);
		for (let cut = 0; cut <= all.length; cut++) {
			const ctrlC = new CtrlC();
			const parts = [all.subarray(0, cut), all.subarray(cut)].filter(({ length }) => length > 0);
			const taken = [...parts, new Uint8Array()].map((part) => ctrlC.take(part));
			expect(text(Buffer.concat(taken.map(({ rest }) => rest)))).toBe("ä\x1b[Abc\x1b");
			expect(taken.some(({ presses }) => presses === "twice")).toBe(true);
		}
	});
});

test("the release of a key is not a second press, and other keys are none", () => {
	const ctrlC = new CtrlC();
	expect(ctrlC.take(Buffer.from("c\x1b[99u\x1b[99;2u\x1b[100;5u")).presses).toBe("none");
	expect(ctrlC.take(Buffer.from("\x1b[99;5:1u\x1b[99;5:3u")).presses).toBe("once");
	expect(ctrlC.take(Buffer.from("x")).presses).toBe("none");
});

test("the main thread gets the keys once, up to the limit", () => {
	const state = new SharedState();
	state.takeGuard();
	expect(state.addKeys(Buffer.from("one "))).toBe(4);
	expect(state.addKeys(Buffer.from("two"))).toBe(3);
	expect(state.addKeys(new Uint8Array(limits.keyBytes))).toBe(limits.keyBytes - 7);
	// As the other thread does when it is dismissed.
	state.releaseGuard();
	expect(text(state.dismissGuard() ?? new Uint8Array()).slice(0, 7)).toBe("one two");
	expect(state.dismissGuard()).toBeUndefined();
});
