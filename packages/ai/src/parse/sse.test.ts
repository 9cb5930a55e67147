/** The guarantees for a reader of an event stream: the cases of the standard, each at every split of its bytes. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "./limits.ts";
import { type SseEvent, SseParser } from "./sse.ts";

const bom = "\ufeff";

function read(chunks: Uint8Array[]) {
	const parser = new SseParser();
	const events: SseEvent[] = [];
	for (const chunk of chunks) {
		const step = parser.push(chunk);
		events.push(...step.events);
		expect(step.failure).toBeUndefined();
	}
	return { events, retry: parser.retry, unfinished: parser.end().unfinished };
}

function bytesOf(stream: string | number[]): Uint8Array {
	return typeof stream === "string" ? new TextEncoder().encode(stream) : Uint8Array.from(stream);
}

/** Reads the stream at once, in two chunks for each split, and byte by byte between empty chunks; all must agree. */
function readEveryWay(stream: string | number[]) {
	const bytes = bytesOf(stream);
	const whole = read([bytes]);
	for (let cut = 0; cut <= bytes.length; cut++) {
		expect({ cut, ...read([bytes.subarray(0, cut), bytes.subarray(cut)]) }).toEqual({ cut, ...whole });
	}
	expect(read(Array.from(bytes, (byte) => [Uint8Array.of(byte), new Uint8Array()]).flat())).toEqual(whole);
	return whole;
}

function message(data: string, id?: string): SseEvent {
	return id === undefined ? { event: "message", data } : { event: "message", data, id };
}

describe("the standard's cases, at every split", () => {
	test.each<[name: string, stream: string, events: SseEvent[]]>([
		[
			"a byte order mark is dropped at the start and nowhere else",
			`${bom}data:first\n\n${bom}data:lost\n\ndata:last\n\n`,
			[message("first"), message("last")],
		],
		["only one byte order mark is dropped", `${bom}${bom}data:lost\n\ndata:kept\n\n`, [message("kept")]],
		[
			"comments are skipped, long ones and empty ones too",
			`data:1\r:\0\n:\r\ndata:2\n:${"x".repeat(300)}\rdata:3\n:data:lost\r\ndata:4\n\n`,
			[message("1\n2\n3\n4")],
		],
		["an event without its blank line is not emitted", "data:whole\n\nid:x\ndata:torn\n", [message("whole")]],
		[
			"data may be empty, and may lack its colon",
			"data:\n\ndata\ndata\n\ndata:test\n\n",
			[message(""), message("\n"), message("test")],
		],
		[
			"an event has its own name, and the next one not",
			"event:ping\ndata:x\n\ndata:y\n\n",
			[{ event: "ping", data: "x" }, message("y")],
		],
		["the last name counts", "event:a\ndata:x\nevent:b\n\n", [{ event: "b", data: "x" }]],
		[
			"an empty name is the default name",
			"event:a\nevent:\ndata:1\n\nevent\ndata:2\n\n",
			[message("1"), message("2")],
		],
		["a name without data is no event, and is forgotten", "event:a\n\ndata:x\n\n", [message("x")]],
		[
			"an id stays until it is changed or emptied",
			"data:0\n\nid:1\ndata:1\n\ndata:2\n\nid:ü\n\ndata:3\n\nid\ndata:4\n\n",
			[message("0"), message("1", "1"), message("2", "1"), message("3", "ü"), message("4")],
		],
		["an id with NUL is ignored", "id:ok\nid:n\0o\ndata:x\n\n", [message("x", "ok")]],
		[
			"only exact names are fields, and only one space after the colon is removed",
			"data:\0\ndata:  2\rData:lost\ndata\0:lost\ndata:1\r\0data:lost\nda-ta:lost\rdata_lost\ndatas:lost\ndat\ndata:3\rdata:\r\n data:lost\nid :lost\ndata:4\n\n",
			[message("\0\n 2\n1\n3\n\n4")],
		],
		[
			"unknown fields are ignored",
			"data:1\n data:lost\ndata\ndata:2\nretries:5\njustsomething\n: x\n\n",
			[message("1\n\n2")],
		],
		["a leading tab is data", "data:\ttest\rdata: \ndata:test\n\n", [message("\ttest\n\ntest")]],
		["CR, LF and CRLF all end a line", "data:a\r\ndata\ndata:b\r\n\r", [message("a\n\nb")]],
		["CR alone ends events", "data:1\r\rdata:2\r\r\rdata:3\r\r", [message("1"), message("2"), message("3")]],
		["CRLF is one line end, not two", "event:e\r\ndata:1\r\n\r\n", [{ event: "e", data: "1" }]],
		["LF CR is two line ends", "data:1\n\rdata:2\n\r", [message("1"), message("2")]],
		["NUL in data is data", "data:\0\n\n\n\n", [message("\0")]],
		["UTF-8 is decoded completely", "data:ok… é 😀\n\n", [message("ok… é 😀")]],
		["colons in a value are its own", "data:a:b: c\n\ndata::\n\n", [message("a:b: c"), message(":")]],
	])("%s", (_name, stream, events) => {
		expect(readEveryWay(stream).events).toEqual(events);
	});

	test.each<[stream: string, retry: number | undefined]>([
		["retry:3000\n", 3000],
		["retry: 3000\r\ndata:x\r\n\r\n", 3000],
		["retry:3000\nretry:1000x\n", 3000],
		["retry:3000\nretry:-1\nretry:1.5\nretry:1e3\nretry:  7\n", 3000],
		["retry:3000\nretry\nretry:\n", 3000],
		["retry:3000\nretry:0\n", 0],
		["retry:007\n", 7],
		["retry:5", undefined],
		[`retry:${"9".repeat(400)}\n`, limits.sseRetryMs],
	])("%j asks to wait for %p ms", (stream, retry) => {
		expect(readEveryWay(stream).retry).toBe(retry);
	});

	test("invalid UTF-8 is replaced and affects nothing else", () => {
		const data = [...bytesOf("data:")];
		const end = [...bytesOf("\n\n")];
		const stream = [
			...data,
			0xff,
			0x61,
			0xe2,
			0x80,
			...end,
			...data,
			0xf0,
			0x9f,
			0x98,
			0x41,
			0xc0,
			0xaf,
			...end,
		];
		expect(readEveryWay(stream).events).toEqual([message("\ufffda\ufffd"), message("\ufffdA\ufffd\ufffd")]);
	});
});

describe("the end of the stream", () => {
	test.each<[stream: string, unfinished: "line" | "event" | undefined]>([
		["", undefined],
		["data:x\n\n", undefined],
		["data:x\r\n\r\n", undefined],
		["data:x\n\n: still here\n", undefined],
		["data:x\n", "event"],
		["data:x\n\nevent:y\n", "event"],
		["data:x\n\ndata:y", "line"],
		["data:x\n\nd", "line"],
	])("after %j: unfinished is %p", (stream, unfinished) => {
		expect(readEveryWay(stream).unfinished).toBe(unfinished);
	});

	test("half a character is an unfinished line", () => {
		expect(readEveryWay([...bytesOf("data:x\n\n"), 0xe2, 0x80]).unfinished).toBe("line");
	});
});

describe("an event beyond the bound", () => {
	const field = "data:";
	const block = new Uint8Array(1024 * 1024).fill(0x78);

	function pushChars(parser: SseParser, chars: number) {
		let failure: string | undefined;
		for (let left = chars; left > 0; left -= block.length) {
			failure = parser.push(block.subarray(0, left)).failure;
		}
		return failure;
	}

	test("is emitted while it fits exactly", () => {
		const parser = new SseParser();
		parser.push(bytesOf(field));
		expect(pushChars(parser, limits.sseEventChars - field.length)).toBeUndefined();
		const [event] = parser.push(bytesOf("\n\n")).events;
		expect(event?.data.length).toBe(limits.sseEventChars - field.length);
		expect(parser.push(bytesOf("data:next\n\n"))).toEqual({ events: [message("next")] });
	});

	test("is refused as soon as it does not fit, before its end has arrived", () => {
		const parser = new SseParser();
		parser.push(bytesOf(`data:before\n\n${field}`));
		expect(pushChars(parser, limits.sseEventChars - field.length + 1)).toContain("larger than");
		const later = parser.push(bytesOf("\n\ndata:later\n\n"));
		expect(later).toEqual({ events: [], failure: expect.stringContaining("larger than") });
		expect(parser.end()).toEqual({ unfinished: "event" });
	});

	test("is refused also when it arrives in one chunk, after the events before it", () => {
		const large = bytesOf(`data:before\n\ndata:${"x".repeat(limits.sseEventChars)}\n\ndata:after\n\n`);
		const step = new SseParser().push(large);
		expect(step).toEqual({ events: [message("before")], failure: expect.stringContaining("larger than") });
	});

	test("is refused when many lines make it too large, regardless of earlier events", () => {
		const parser = new SseParser();
		const line = bytesOf(`data:${"x".repeat(1024 * 1024)}\n`);
		parser.push(line);
		const first = parser.push(bytesOf("\ndata:fits\n\n"));
		expect(first.events.length).toBe(2);
		const failures = Array.from({ length: 64 }, () => parser.push(line).failure);
		expect(failures.slice(0, 63).every((failure) => failure === undefined)).toBe(true);
		expect(failures[63]).toContain("larger than");
	});
});

/** The standard's algorithm as written, over the whole text at once. */
function bySpec(bytes: Uint8Array): { events: SseEvent[]; retry: number | undefined } {
	const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
	lines.pop();
	const events: SseEvent[] = [];
	let [data, name, id] = ["", "", ""];
	let retry: number | undefined;
	for (const line of lines) {
		const colon = line.indexOf(":");
		const field = colon === -1 ? line : line.slice(0, colon);
		const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
		if (line === "") {
			if (data !== "") events.push({ event: name || "message", data: data.slice(0, -1), ...(id && { id }) });
			[data, name] = ["", ""];
		} else if (field === "data") data += `${value}\n`;
		else if (field === "event") name = value;
		else if (field === "id" && !value.includes("\0")) id = value;
		else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
	}
	return { events, retry };
}

test("any bytes in any chunks give the result of the standard's own algorithm", () => {
	const words = [
		"data",
		"data: ",
		"event:",
		"id:",
		"retry:",
		"7",
		":",
		" ",
		"\n",
		"\r",
		"\r\n",
		"\0",
		"x",
		"é😀",
		bom,
	];
	const piece = fc.oneof(
		{ weight: 12, arbitrary: fc.constantFrom(...words).map(bytesOf) },
		{ weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }) },
	);
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 60 }),
			fc.array(fc.nat(), { maxLength: 12 }),
			(pieces, places) => {
				const bytes = new Uint8Array(Buffer.concat(pieces));
				const cuts = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted(
					(a, b) => a - b,
				);
				const chunks = cuts.slice(1).map((cut, i) => bytes.subarray(cuts[i], cut));
				const { events, retry } = read(chunks);
				expect({ events, retry }).toEqual(bySpec(bytes));
			},
		),
		{ numRuns: samples(1000) },
	);
});
