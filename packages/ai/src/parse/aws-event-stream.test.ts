/** Amazon's binary event stream is read correctly at every split, and errors are reported at once. */
import { expect, test } from "bun:test";
import fc from "fast-check";

import { anyCharacter } from "../../../../test/support/any-character.ts";
import { eventStreamMessage } from "../testing/event-stream-message.ts";
import type { ServerEvent } from "../wire/codec.ts";
import { AwsEventStreamParser } from "./aws-event-stream.ts";
import { limits } from "./limits.ts";

function event(name: string, data: string): Buffer {
	const headers = { ":event-type": name, ":content-type": "application/json", ":message-type": "event" };
	return eventStreamMessage(headers, data);
}

function read(...chunks: Uint8Array[]): { events: ServerEvent[]; failure?: string } {
	const parser = new AwsEventStreamParser();
	const events: ServerEvent[] = [];
	let failure: string | undefined;
	for (const chunk of chunks) {
		const step = parser.push(chunk);
		events.push(...step.events);
		failure = step.failure;
	}
	return failure === undefined ? { events } : { events, failure };
}

/** Recomputes the checksums of a modified message. */
function reseal(message: Buffer): Buffer {
	message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, 8)), 8);
	const end = message.length - 4;
	message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, end)), end);
	return message;
}

/** A message with these bytes as its headers. */
function withHeaders(headers: Buffer, payload = "{}"): Buffer {
	const message = Buffer.concat([Buffer.alloc(12), headers, Buffer.from(payload), Buffer.alloc(4)]);
	message.writeUInt32BE(message.length, 0);
	message.writeUInt32BE(headers.length, 4);
	return reseal(message);
}

// The vectors are those that Amazon publishes with its event-stream libraries.
test.each([
	["no headers and no payload", "000000100000000005c248eb7d98c8ff", { event: "", data: "" }],
	[
		"a payload alone",
		"0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
		{ event: "", data: "{'foo':'bar'}" },
	],
	[
		"a header of an integer",
		"0000002d0000001041c424b80a6576656e742d74797065040000a00c7b27666f6f273a27626172277d36f480a0".replaceAll(
			" ",
			"",
		),
		{ event: "", data: "{'foo':'bar'}" },
	],
	[
		"a header of text",
		"0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
		{ event: "", data: "{'foo':'bar'}" },
	],
] as const)("the published message with %s is read", (_name, hex, expected) => {
	expect(read(Buffer.from(hex, "hex"))).toEqual({ events: [expected] });
});

test("an event, an exception and an error are reported by the names in their headers", () => {
	const exception = eventStreamMessage(
		{ ":exception-type": "throttlingException", ":message-type": "exception" },
		'{"message":"slow"}',
	);
	const error = eventStreamMessage(
		{ ":message-type": "error", ":error-code": "InternalFailure", ":error-message": 'it "broke"' },
		"",
	);
	expect(read(event("messageStart", '{"role":"assistant"}'), exception, error).events).toEqual([
		{ event: "messageStart", data: '{"role":"assistant"}' },
		{ event: "throttlingException", data: '{"message":"slow"}' },
		{ event: "error", data: '{"type":"InternalFailure","message":"it \\"broke\\""}' },
	]);
});

test("the events are the same for any split of the bytes", () => {
	const anyEvents = fc.array(fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter })), {
		maxLength: 8,
	});
	fc.assert(
		fc.property(anyEvents, fc.array(fc.nat(), { maxLength: 30 }), (events, places) => {
			const expected = events.map(([name, data]) => ({
				event: name.toWellFormed(),
				data: data.toWellFormed(),
			}));
			const bytes = Buffer.concat(expected.map(({ event: name, data }) => event(name, data)));
			const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
				(a, b) => a - b,
			);
			const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
			expect(read(...chunks)).toEqual({ events: expected });
		}),
	);
});

test("byte by byte and in one chunk, several messages are several events", () => {
	const bytes = Buffer.concat([event("a", "1"), event("b", "2"), event("c", "3")]);
	const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
	expect(read(...single)).toEqual(read(bytes));
	expect(read(bytes).events.map(({ data }) => data)).toEqual(["1", "2", "3"]);
});

test("headers of every type are skipped", () => {
	const sizes = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
	const typed = sizes.map((size, type) => {
		const value = Buffer.alloc(size ?? 5, 0x41);
		if (size === undefined) value.writeUInt16BE(3, 0);
		return Buffer.concat([Buffer.from([2, 0x68, 0x30 + type, type]), value]);
	});
	const name = Buffer.concat([
		Buffer.from([11]),
		Buffer.from(":event-type"),
		Buffer.from([7, 0, 2]),
		Buffer.from("ok"),
	]);
	expect(read(withHeaders(Buffer.concat([...typed, name])))).toEqual({
		events: [{ event: "ok", data: "{}" }],
	});
});

test("a flipped bit is detected anywhere, and earlier events are kept", () => {
	const first = event("a", "1");
	const second = event("messageStop", '{"stopReason":"end_turn"}');
	fc.assert(
		fc.property(fc.nat(second.length * 8 - 1), (bit) => {
			const damaged = Buffer.from(second);
			damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
			const { events, failure } = read(Buffer.concat([first, damaged, event("c", "3")]));
			expect(events).toEqual([{ event: "a", data: "1" }]);
			expect(failure).toBeString();
		}),
	);
});

test("after a failure nothing is read, and it is reported again", () => {
	const parser = new AwsEventStreamParser();
	const { failure } = parser.push(Buffer.from("HTTP/1.1 502 Bad Gateway"));
	expect(failure).toBe("The server sent bytes that are not an event stream");
	expect(parser.push(event("a", "1"))).toEqual({ events: [], failure: failure ?? "" });
});

test.each([
	[limits.awsMessageBytes + 1, 0, `larger than ${limits.awsMessageBytes} bytes`],
	[limits.awsMessageBytes, limits.awsHeaderBytes + 1, `larger than ${limits.awsHeaderBytes} bytes`],
	[20, 8, "shorter than its parts"],
	[3, 0, "shorter than its parts"],
])(
	"a message that claims %d bytes with %d of headers is refused at its prelude",
	(total, headers, reason) => {
		const prelude = Buffer.alloc(12);
		prelude.writeUInt32BE(total, 0);
		prelude.writeUInt32BE(headers, 4);
		prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
		expect(read(prelude).failure).toContain(reason);
	},
);

test.each([
	["a name that is longer than the headers", Buffer.from([9, 0x61])],
	["a text that is longer than the headers", Buffer.from([1, 0x61, 7, 0, 9, 0x62])],
	["a length of half its bytes", Buffer.from([1, 0x61, 7, 0])],
])("%s is reported", (_name, headers) => {
	expect(read(withHeaders(headers))).toEqual({ events: [], failure: "A header of the stream is cut off" });
});

test("a header of an unknown type is reported", () => {
	expect(read(withHeaders(Buffer.from([1, 0x61, 10, 0, 0]))).failure).toContain("unknown type (10)");
});

test("a message of megabytes in small chunks is read, and its buffer is reused", () => {
	const data = JSON.stringify({ text: "x".repeat(3 * 1024 * 1024) });
	const bytes = Buffer.concat([event("big", data), event("small", "{}"), event("big", data)]);
	const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, n) =>
		bytes.subarray(n * 1000, n * 1000 + 1000),
	);
	const { events, failure } = read(...chunks);
	expect(failure).toBeUndefined();
	expect(events.map(({ event: name, data: { length } }) => [name, length])).toEqual([
		["big", data.length],
		["small", 2],
		["big", data.length],
	]);
});
