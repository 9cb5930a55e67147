/** Raw input becomes complete keys and complete pastes, for any chunks and any malformed input. */
import { afterEach, beforeEach, expect, jest, test } from "bun:test";

import * as fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "./limits.ts";
import { StdinBuffer } from "./stdin-buffer.ts";

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

function listening(): { buffer: StdinBuffer; out: string[] } {
	const buffer = new StdinBuffer();
	const out: string[] = [];
	buffer.on("data", (sequence) => out.push(sequence));
	buffer.on("paste", (text) => out.push(`paste:${text}`));
	buffer.on("pasteCut", (dropped) => out.push(`cut:${dropped}`));
	return { buffer, out };
}

test("a lone escape is the Escape key after a moment, and not before", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b");
	jest.advanceTimersByTime(limits.escapeMs - 1);
	expect(out).toEqual([]);
	jest.advanceTimersByTime(1);
	expect(out).toEqual(["\x1b"]);
	buffer.process("[A");
	expect(out).toEqual(["\x1b", "[", "A"]);
});

test("an rxvt key that ends in a dollar sign swallows nothing after it", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b[3$x\x1b[4;1$y");
	expect(out).toEqual(["\x1b[3$", "x", "\x1b[4;1$y"]);
});

test("two presses of Escape that arrive together stay two", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b\x1b");
	jest.advanceTimersByTime(limits.escapeMs);
	expect(out).toEqual(["\x1b", "\x1b"]);
});

test("Escape just before a terminal reply or a paste swallows neither", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b\x1b[?62c\x1b\x1b[I\x1b\x1bx\x1b\x1b[200~p\x1b[201~");
	expect(out).toEqual(["\x1b", "\x1b[?62c", "\x1b", "\x1b[I", "\x1b", "\x1bx", "\x1b", "paste:p"]);
});

test("a sequence split by the network is joined even after the time of a lone escape", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b[1;");
	jest.advanceTimersByTime(limits.escapeMs * 3);
	buffer.process("5C");
	expect(out).toEqual(["\x1b[1;5C"]);
});

test("keys typed into a split sequence do not keep it open", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b]11;rgb");
	for (let typed = 0; typed < 20; typed++) {
		buffer.process("x");
		jest.advanceTimersByTime(limits.stringMs / 10);
	}
	expect(out.slice(1).join("")).toMatch(/^x{9,10}$/);
	expect(out[0]).toStartWith("\x1b]11;rgb");
});

test("Enter, Ctrl+C and the next sequence end a reply whose end was lost", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b]11;rgb\r\x1b]11;rgb\x03\x1b]11;rgb\x1b[A\x1b[1;\x03\x1b[12\x1b[B");
	expect(out.join("|")).toBe(
		"\x1b]11;rgb|\r|\x1b]11;rgb|\x03|\x1b]11;rgb|\x1b[A|\x1b[1;|\x03|\x1b[12|\x1b[B",
	);
});

test("unterminated input is emitted at its bound", () => {
	const { buffer, out } = listening();
	buffer.process(`\x1b[${"1".repeat(limits.csiChars)}`);
	expect(out[0]).toHaveLength(limits.csiChars);
	out.length = 0;
	buffer.clear();
	buffer.process(`\x1b]52;${"x".repeat(limits.stringChars)}`);
	expect(out[0]).toHaveLength(limits.stringChars);
});

test("a character split over chunks is one character, a broken one affects only itself", () => {
	const { buffer, out } = listening();
	for (const byte of Buffer.from("é世🎉")) buffer.process(Buffer.from([byte]));
	expect(out).toEqual(["é", "世", "🎉"]);
	out.length = 0;
	buffer.process(Buffer.from([0xe4, 0xb8]));
	buffer.process(Buffer.from("a"));
	expect(out).toEqual(["\ufffd", "a"]);
	out.length = 0;
	buffer.process("\ud83c");
	buffer.process("\udf89");
	expect(out).toEqual(["🎉"]);
});

test("a paste is one event, in order, with escapes inside it unchanged", () => {
	const { buffer, out } = listening();
	buffer.process("a\x1b[200~one\r\n\x1b[31mtwo\x1b[20\x1b[201~b\x1b[200~\x1b[201~");
	expect(out).toEqual(["a", "paste:one\r\n\x1b[31mtwo\x1b[20", "b", "paste:"]);
});

test("a paste without an end is over after a silence, and its late end types nothing", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b[200~half");
	jest.advanceTimersByTime(limits.pasteStallMs - 1);
	buffer.process(" more");
	jest.advanceTimersByTime(limits.pasteStallMs - 1);
	expect(out).toEqual([]);
	jest.advanceTimersByTime(1);
	expect(out).toEqual(["paste:half more"]);
	buffer.process("k\x1b[201~l");
	expect(out.slice(1)).toEqual(["k", "l"]);
});

test("the part of a paste beyond the limit is dropped and counted, and affects nothing after it", () => {
	const { buffer, out } = listening();
	const chunk = "x".repeat(1024 * 1024);
	buffer.process("\x1b[200~");
	for (let sent = 0; sent < limits.pasteChars; sent += chunk.length) buffer.process(chunk);
	buffer.process("12345\x1b[201~a");
	expect(out[0]).toBe("cut:5");
	expect(out[1]).toHaveLength("paste:".length + limits.pasteChars);
	expect(out[2]).toBe("a");
});

test("a paste that is cut has no hole and no half surrogate pair", () => {
	const { buffer, out } = listening();
	buffer.process(`\x1b[200~${"x".repeat(limits.pasteChars - 1)}`);
	buffer.process("🎉");
	buffer.process("z\x1b[201~");
	expect(out[0]).toBe("cut:3");
	expect(out[1]).toHaveLength("paste:".length + limits.pasteChars - 1);
	expect(out[1]).toEndWith("xx");
});

test("after destroy nothing is emitted and no timer is left", () => {
	const { buffer, out } = listening();
	buffer.process("\x1b");
	buffer.destroy();
	expect(jest.getTimerCount()).toBe(0);
	buffer.process("a");
	expect(out).toEqual([]);
});

const known = [
	"\x1b",
	"\x1b[A",
	"\x1bOP",
	"\x1b[1;5C",
	"\x1b[97;5:3u",
	"\x1b[3$",
	"\x1b[[A",
	"\x1b[M abc",
	"\x1b\x1b[A",
	"\x1b]0;t\x07",
	"\x1bPq\x1b\\",
	"\x1b_G\x1b\\",
	"\x1b[200~",
	"\x1b[201~",
	"\x1b[20",
	"\r",
	"\x03",
	"é",
];

/** Removes the brackets of pastes, also those that appear when one is removed. */
function bare(text: string): string {
	const without = text.replaceAll(/\x1b\[20[01]~/g, "");
	return without === text ? text : bare(without);
}

const piece = fc.oneof(
	fc.constantFrom(...known),
	fc.string({ unit: anyCharacter, maxLength: 4 }),
	fc.constantFrom(..."\x1b[]OP_;:?$~mu0123ABMZ\x07\\"),
);

test("the result does not depend on the chunks, and nothing is lost", () => {
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 30 }),
			fc.array(fc.nat(200), { maxLength: 8 }),
			(pieces, cuts) => {
				const bytes = Buffer.from(pieces.join(""));
				const [whole, torn, single] = [listening(), listening(), listening()];
				whole.buffer.process(bytes);
				let from = 0;
				for (const cut of [
					...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b),
					bytes.length,
				]) {
					torn.buffer.process(bytes.subarray(from, cut));
					from = cut;
				}
				for (const byte of bytes) single.buffer.process(Buffer.from([byte]));
				for (const { buffer } of [whole, torn, single]) buffer.flush();
				expect(torn.out).toEqual(whole.out);
				expect(single.out).toEqual(whole.out);
				const emitted = whole.out.map((text) => text.replace(/^paste:/, "")).join("");
				expect(bare(emitted)).toBe(bare(bytes.toString()));
			},
		),
		{ numRuns: samples(500) },
	);
});
