/** Lines over a socket that takes little at a time, from a peer that sends anything. */
import { expect, jest, test } from "bun:test";

import { limits } from "./limits.ts";
import { LineSocket, type RawSocket } from "./line-socket.ts";

interface Played {
	lines: LineSocket;
	/** What the socket has taken. */
	taken(): string;
	/** How much more it takes now. */
	room: number;
	received: string[];
	ends: (string | undefined)[];
	calls: string[];
}

function played(lineBytes = 100, firstBytes?: number): Played {
	let text = "";
	const state: Omit<Played, "lines"> = {
		room: Number.POSITIVE_INFINITY,
		taken: () => text,
		received: [],
		ends: [],
		calls: [],
	};
	const socket: RawSocket = {
		write(data) {
			const count = Math.min(state.room, data.length);
			state.room -= count;
			text += new TextDecoder().decode(data.subarray(0, count));
			return count;
		},
		flush: () => {},
		end: () => void state.calls.push("end"),
		terminate: () => void state.calls.push("terminate"),
		pause: () => void state.calls.push("pause"),
		resume: () => void state.calls.push("resume"),
	};
	const lines = new LineSocket(socket, {
		lineBytes,
		...(firstBytes === undefined ? {} : { firstBytes }),
		onLine: (line) => void state.received.push(line),
		onEnd: (reason) => void state.ends.push(reason),
	});
	return Object.assign(state, { lines });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("lines are sent in order, and a slow reader is waited for", async () => {
	const one = played();
	expect(one.lines.send({ a: 1 })).toBeUndefined();
	one.room = 3;
	const waiting = one.lines.send({ b: 2 });
	expect(waiting).toBeInstanceOf(Promise);
	void one.lines.sendLines(["third", "fourth"]);
	expect(one.taken()).toBe('{"a":1}\n{"b');
	one.room = Number.POSITIVE_INFINITY;
	one.lines.drain();
	await waiting;
	expect(one.taken()).toBe('{"a":1}\n{"b":2}\nthird\nfourth\n');
	one.lines[Symbol.dispose]();
});

test("what was written before the end arrives, and nothing after it", () => {
	const one = played();
	one.room = 2;
	void one.lines.send({ last: true });
	one.lines.close();
	void one.lines.send({ late: true });
	expect(one.calls).toEqual([]);
	one.room = Number.POSITIVE_INFINITY;
	one.lines.drain();
	expect([one.taken(), one.calls, one.ends]).toEqual(['{"last":true}\n', ["end"], [undefined]]);
});

test("a line may come in any pieces; empty ones mean nothing", () => {
	const one = played();
	for (const part of ["fir", "st\n\n", "  \nsec", "ond\r\n"]) one.lines.take(bytes(part));
	expect(one.received.map((line) => line.trim())).toEqual(["first", "second"]);
});

test("who sends too much is dropped, and who is known may send more", () => {
	const long = played(10);
	long.lines.take(bytes("x".repeat(30)));
	expect(long.ends).toEqual(["A line is longer than 10 bytes."]);
	const early = played(100, 10);
	early.lines.take(bytes("12345\n67890\n"));
	expect([early.received, early.ends]).toEqual([[], ["More came than a greeting has."]]);
	const known = played(100, 10);
	known.lines.take(bytes("12345\n"));
	known.lines.allow();
	known.lines.take(bytes("1234567890\n"));
	expect([known.received, known.ends]).toEqual([["12345", "1234567890"], []]);
});

test("bytes that are no text end the connection once", () => {
	const one = played();
	one.lines.take(new Uint8Array([0xff, 0xfe, 0x0a, 0x41, 0x0a]));
	one.lines.closed();
	expect([one.received, one.ends]).toEqual([[], ["A line is not UTF-8."]]);
});

test("a peer that reads nothing for a minute is dropped; one that reads a little is not", async () => {
	jest.useFakeTimers();
	try {
		const one = played();
		one.room = 4;
		const waiting = one.lines.send({ text: "unread" });
		jest.advanceTimersByTime(limits.unreadMs - 1);
		one.room = 2;
		one.lines.drain();
		jest.advanceTimersByTime(limits.unreadMs - 1);
		expect(one.ends).toEqual([]);
		// Nothing was taken: that is no reading.
		one.lines.drain();
		jest.advanceTimersByTime(1);
		expect(one.ends).toEqual(["Nothing was read for 60 s."]);
		expect(one.calls).toEqual(["terminate"]);
		await waiting;
		expect(one.lines.send({ text: "more" })).toBeUndefined();
	} finally {
		jest.useRealTimers();
	}
});
