/** The same messages come out of any chunks; a line that is not a message, or is too long, affects no other. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { limits } from "./limits.ts";
import { MessageLines, type MessageLine } from "./message-lines.ts";

function read(chunks: Iterable<Uint8Array>): MessageLine[] {
	const lines: MessageLine[] = [];
	const splitter = new MessageLines((line) => lines.push(line));
	for (const chunk of chunks) splitter.push(chunk);
	return lines;
}

const message = (id: number, text: string): object => ({ jsonrpc: "2.0", id, result: { text } });

test("property: messages survive any cuts, also inside of characters", () => {
	const texts = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 });
	fc.assert(
		fc.property(texts, fc.array(fc.nat(50), { maxLength: 20 }), (words, cuts) => {
			const sent = words.map((word, id) => message(id, word));
			const bytes = Buffer.from(sent.map((one) => `${JSON.stringify(one)}\n`).join(""));
			const chunks: Buffer[] = [];
			let at = 0;
			for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
			chunks.push(bytes.subarray(at));
			expect(read(chunks)).toEqual(sent.map((one) => ({ kind: "message", message: { ...one } })));
		}),
	);
});

test.each([
	["the id first", (id: number, body: string) => `{"jsonrpc":"2.0","id":${id},"result":"${body}"}\n`],
	["the id last", (id: number, body: string) => `{"result":"${body}","jsonrpc":"2.0","id":${id}}\n`],
])("a message that is too long names the request that it answers, with %s", (_, write) => {
	const piece = Buffer.alloc(1024 * 1024, "x");
	const [head = "", tail = ""] = write(7, "|").split("|");
	const count = limits.messageBytes / piece.length + 1;
	const chunks = [Buffer.from(head), ...Array.from({ length: count }, () => piece), Buffer.from(tail)];
	expect(read([...chunks, Buffer.from(`${JSON.stringify(message(8, "next"))}\n`)])).toEqual([
		{ kind: "too-long", id: 7 },
		{ kind: "message", message: { ...message(8, "next") } },
	]);
});

test("lines that are no messages are reported as such", () => {
	const lines = read([Buffer.from('Listening…\n{"a":1}\n[1]\n{ torn\n\n')]);
	expect(lines.map(({ kind }) => kind)).toEqual(["garbage", "garbage", "garbage", "garbage"]);
});

test("a line without an end fails its call at once, or ends the connection when nobody knows its call", () => {
	const piece = Buffer.alloc(1024 * 1024, "x");
	const pieces = (bytes: number): Buffer[] => Array.from({ length: bytes / piece.length + 2 }, () => piece);
	const known = [Buffer.from('{"jsonrpc":"2.0","id":7,"result":"'), ...pieces(limits.messageBytes)];
	expect(read(known)).toEqual([{ kind: "too-long", id: 7 }]);
	expect(read(pieces(limits.lineBytes))).toEqual([{ kind: "endless" }]);
});
