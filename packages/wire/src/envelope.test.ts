/** The header of a room's messages, as relays and both ends read it. */
import { expect, test } from "bun:test";

import { headerBytes, readHeader, sealedInto, type Envelope } from "./envelope.ts";

const envelopes: Envelope[] = [
	{ direction: "down", stream: 1, peer: "", seq: 1 },
	{ direction: "down", stream: 2 ** 32 - 1, peer: "_____wAAAAA", seq: 2 ** 32 },
	{ direction: "up", stream: 0x8000_0001, peer: "AAAAAAAAAAE", seq: 2 ** 48 - 1 },
	{ direction: "up", stream: 7, peer: "gAAAAAAAAAA", seq: 2 ** 31 },
];

test.each(envelopes)("a header is read as it was written: %j", (envelope) => {
	const bytes = sealedInto(envelope, new Uint8Array([1, 2, 3]));
	expect(readHeader(bytes)).toEqual(envelope);
	// Messages also come as parts of what was read from a socket.
	const within = new Uint8Array(bytes.length + 9).fill(255);
	within.set(bytes, 5);
	expect(readHeader(within.subarray(5, 5 + bytes.length))).toEqual(envelope);
});

test("what is cut short, of another version or direction, or has no number is no message", () => {
	const bytes = sealedInto({ direction: "down", stream: 1, peer: "", seq: 1 }, new Uint8Array());
	expect(readHeader(bytes.subarray(0, headerBytes - 1))).toBeUndefined();
	expect(readHeader(bytes.with(0, 2))).toBeUndefined();
	expect(readHeader(bytes.with(1, 2))).toBeUndefined();
	expect(readHeader(bytes.with(headerBytes - 1, 0))).toBeUndefined();
});
