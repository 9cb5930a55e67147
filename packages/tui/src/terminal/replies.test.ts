/** Terminal replies never become keys, wherever they are split, and keys never become replies. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import fc from "fast-check";

import { StdinBuffer } from "../input/index.ts";
import { limits } from "../input/limits.ts";
import { terminalLimits } from "../limits.ts";
import { readReply, type Reply } from "./replies.ts";

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

/** As the terminal reads its input. */
function reader(awaits = true) {
	const received: Reply[] = [];
	const input: string[] = [];
	const buffer = new StdinBuffer({ timeout: () => (awaits ? terminalLimits.replyHoldMs : undefined) });
	buffer.on("data", (sequence) => {
		const reply = readReply(sequence);
		if (reply) received.push(reply);
		else input.push(sequence);
	});
	buffer.on("paste", (text) => input.push(`\x1b[200~${text}\x1b[201~`));
	return { buffer, received, text: () => input.join("") };
}

const table: [bytes: string, reply: Reply][] = [
	["\x1b[?62;22c", { kind: "sentinel", showsSixel: false }],
	["\x1b[?62;4;22c", { kind: "sentinel", showsSixel: true }],
	// 4 is the class of this terminal, not a feature.
	["\x1b[?4;6c", { kind: "sentinel", showsSixel: false }],
	["\x1b[?1;0;1024S", { kind: "colorRegisters", count: 1024 }],
	["\x1b[?1;3;0S", { kind: "colorRegisters", count: 0 }],
	["\x1b[?0u", { kind: "keyboard", flags: 0 }],
	["\x1b[?2026;2$y", { kind: "mode", mode: 2026, state: 2 }],
	["\x1b[?997;2n", { kind: "appearance", dark: false }],
	["\x1b[6;18;9t", { kind: "cellSize", widthPx: 9, heightPx: 18 }],
	["\x1b[48;24;80;432;720t", { kind: "resized" }],
	["\x1b]11;rgb:ffff/8080/0000\x1b\\", { kind: "background", red: 1, green: 0x8080 / 0xffff, blue: 0 }],
	["\x1b]11;rgb:ff/00/00\x07", { kind: "background", red: 1, green: 0, blue: 0 }],
	["\x1b]99;i=tau:p=?;o=always\x1b\\", { kind: "notifications" }],
	["\x1b_Gi=31;OK\x1b\\", { kind: "graphics", ok: true }],
];

test.each(table)("%j is a reply, whole and byte by byte", (bytes, reply) => {
	const whole = reader();
	whole.buffer.process(bytes);
	expect([whole.received, whole.text()]).toEqual([[reply], ""]);
	const torn = reader();
	for (const byte of bytes) torn.buffer.process(byte);
	expect([torn.received, torn.text()]).toEqual([[reply], ""]);
});

test("keys between replies keep their order, without any part of a reply", () => {
	const keys = fc.constantFrom(
		"a",
		"é",
		"\x1b[A",
		"\x1b[1;5C",
		"\x1bOP",
		"\x1b[97;5u",
		"\x1b[3~",
		"\x1b[6~",
		"\x1bx",
		"\r",
	);
	const parts = fc.array(fc.oneof(keys, fc.constantFrom(...table.map(([bytes]) => bytes))), {
		maxLength: 10,
	});
	fc.assert(
		fc.property(parts, fc.array(fc.nat(40), { maxLength: 6 }), (all, cuts) => {
			const { buffer, received, text } = reader();
			const stream = all.join("");
			const places = [...cuts.filter((cut) => cut < stream.length), stream.length].toSorted((a, b) => a - b);
			let from = 0;
			for (const to of places) {
				buffer.process(stream.slice(from, to));
				from = to;
			}
			const known = new Set(table.map(([bytes]) => bytes));
			expect(received).toHaveLength(all.filter((part) => known.has(part)).length);
			expect(text()).toBe(all.filter((part) => !known.has(part)).join(""));
		}),
	);
});

test("pasted text is text, even if it looks like a reply", () => {
	const { buffer, received, text } = reader();
	const pasted = "\x1b[200~\x1b[?62c\x1b]11;rgb:0/0/0\x07\x1b[201~";
	for (const byte of pasted) buffer.process(byte);
	expect([received, text()]).toEqual([[], pasted]);
});

test("a key with modifiers is no reply, although it begins like one", () => {
	for (const key of ["\x1b[1;5C", "\x1b[97;5u", "\x1b[3~", "\x1bOR", "\x1b", "a"])
		expect(readReply(key)).toBeUndefined();
});

test("a reply whose ESC comes in a packet of its own is one while it is awaited, and no keys", () => {
	const { buffer, received, text } = reader();
	buffer.process("\x1b");
	jest.advanceTimersByTime(terminalLimits.replyHoldMs - 1);
	buffer.process("[?62;22c");
	expect([received, text()]).toEqual([[{ kind: "sentinel", showsSixel: false }], ""]);
});

test("Escape is a key after a moment when an awaited reply does not come, and sooner when none is awaited", () => {
	for (const awaits of [true, false]) {
		const { buffer, text } = reader(awaits);
		buffer.process("\x1b");
		jest.advanceTimersByTime(limits.escapeMs);
		expect(text()).toBe(awaits ? "" : "\x1b");
		jest.advanceTimersByTime(terminalLimits.replyHoldMs);
		expect(text()).toBe("\x1b");
	}
});
