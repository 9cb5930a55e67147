/** What servers send is read however it is cut, and a server that sends garbage is noticed. */
import { expect, test } from "bun:test";
import { Writable } from "node:stream";
import fc from "fast-check";

import { FrameReader, writeFrame } from "./frames.ts";

function reader(): { messages: unknown[]; problems: string[]; reader: FrameReader } {
	const [messages, problems]: [unknown[], string[]] = [[], []];
	const frames = new FrameReader({
		onMessage: (message) => void messages.push(message),
		onProblem: (reason) => void problems.push(reason),
	});
	return { messages, problems, reader: frames };
}

function written(messages: readonly unknown[]): Buffer {
	const chunks: Buffer[] = [];
	const stream = new Writable({
		write(chunk: Buffer, _encoding, done) {
			chunks.push(chunk);
			done();
		},
	});
	for (const message of messages) writeFrame(stream, message);
	return Buffer.concat(chunks);
}

test("messages are the same however the bytes are cut", () => {
	fc.assert(
		fc.property(
			fc.array(fc.jsonValue(), { maxLength: 8 }),
			fc.array(fc.integer({ min: 1, max: 50 })),
			(sent, cuts) => {
				const bytes = written(sent);
				const { messages, problems, reader: frames } = reader();
				let at = 0;
				for (const cut of [...cuts, bytes.length]) {
					if (at < bytes.length) frames.push(bytes.subarray(at, at + cut));
					at += cut;
				}
				expect(problems).toEqual([]);
				expect(messages).toEqual(JSON.parse(JSON.stringify(sent)));
			},
		),
	);
});

test("a banner before the first message, other headers and their order do not matter", () => {
	const { messages, reader: frames } = reader();
	frames.push(Buffer.from("Starting server…\nContent-Type: x\r\ncontent-length: 2\r\n\r\n{}"));
	frames.push(Buffer.from("warning\nContent-Length: 4\r\nContent-Type: application/json\r\n\r\nnull"));
	expect(messages).toEqual([{}, null]);
});

test.each([
	["a message that is not valid JSON", "Content-Length: 3\r\n\r\n{{{"],
	["a header without a length", "Content-Length: x\r\n\r\n"],
	["a message of 99999999999 bytes", "Content-Length: 99999999999\r\n\r\n"],
	["a header without an end", `Content-Length: 5\r\n${"x".repeat(5000)}`],
	["output that is no protocol", "x".repeat(70_000)],
])("%s is a problem, once, and nothing is read after it", (what, text) => {
	const { messages, problems, reader: frames } = reader();
	frames.push(Buffer.from(text));
	frames.push(Buffer.from(text));
	frames.push(written([1]));
	expect(problems).toEqual([`it sent ${what}`]);
	expect(messages).toEqual([]);
});
