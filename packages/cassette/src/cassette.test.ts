/** A recorded answer is read again as it was, and a file that is no whole cassette is refused with the reason. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

import { streamByCodec, type Context, type Model } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";
import { knownSecrets, nothingKnown } from "@tau/utils/secrets";

import { decoded } from "./answer.ts";
import { Deck } from "./deck.ts";
import { checkTarget, readCassette, textOf, writeCassette } from "./file.ts";
import type { Cassette } from "./format.ts";
import { limits } from "./limits.ts";
import { masked } from "./masked.ts";
import { framesOf } from "./player.ts";
import { rebuilt } from "./rebuild.ts";
import { Recorder } from "./recorder.ts";
import { environmentFacts } from "./recording.ts";
import { timelineOf } from "./timeline.ts";
import { junit } from "./verify.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-cassette-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const surroundings = { cwd: "/work/project", home: "/home/annabel", sessionId: "s-1", date: "2026-11-17" };
const ask = (text: string): Context => ({
	systemPrompt: `You work in ${surroundings.cwd}.`,
	messages: [{ role: "user", content: text, timestamp: 1 }],
});

function modelAt(baseUrl: string, api: Model["api"] = "anthropic-messages"): Model {
	return {
		id: "played-1",
		name: "Played",
		api,
		provider: "played",
		baseUrl,
		reasoning: false,
		input: ["text"],
		cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 100_000,
		maxTokens: 1000,
	};
}

/** Asks a played model once for each step, and returns what was recorded of it. */
async function record(scenario: Scenario, prompts: readonly string[]): Promise<Cassette> {
	await using played = await playModel(scenario);
	const recorder = new Recorder(() => surroundings);
	const lines = [
		JSON.stringify({
			type: "session",
			version: 3,
			id: "s-1",
			timestamp: "2026-11-17T10:00:00.000Z",
			cwd: "/work/project",
		}),
	];
	let parentId: string | null = null;
	const add = (message: unknown): void => {
		const id = `e${lines.length}`;
		lines.push(
			JSON.stringify({ type: "message", id, parentId, timestamp: "2026-11-17T10:00:01.000Z", message }),
		);
		parentId = id;
	};
	for (const text of prompts) {
		const context = ask(text);
		add(context.messages[0]);
		const answer = recorder.tap(streamByCodec)(modelAt(played.anthropicUrl), context, {
			apiKey: "sk-secret-of-test",
		});
		add(await answer.result());
	}
	return recorder.cassette(lines, environmentFacts());
}

const talk: Scenario = {
	steps: [{ answer: { blocks: [{ text: "Hello, wörld 🙂.", chunks: 7 }] } }, "Again."],
};

describe("a recording", () => {
	test("has the raw streams, and the same log is made of them again", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const { log, drift } = await rebuilt(cassette);
		expect(drift).toEqual([]);
		expect(log).toEqual([...cassette.log]);
		expect(cassette.exchanges.map(({ raw }) => raw?.status)).toEqual([200, 200]);
		expect(JSON.stringify(cassette)).not.toContain("sk-secret-of-test");
	});

	test("that this program would read differently says in which field", async () => {
		const cassette = await record({ steps: ["Hello."] }, ["hi"]);
		const [exchange] = cassette.exchanges;
		if (!exchange?.raw) throw new Error("There is no raw stream.");
		const chunks = exchange.raw.chunks.map(([at, text]) => [at, text.replace("Hello", "Hallo")] as const);
		const { drift } = await rebuilt({
			...cassette,
			exchanges: [{ ...exchange, raw: { ...exchange.raw, chunks } }],
		});
		expect(drift).toMatchObject([{ recorded: '"Hello."', actual: '"Hallo."' }]);
		expect(drift[0]?.field).toBe("log[2].message.content[0].text");
	});

	test("is the same after it was written and read, and only its owner can read it", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const file = join(directory, "same.cassette");
		writeCassette(file, cassette);
		expect(textOf(readCassette(file))).toBe(textOf(cassette));
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	test("plays the same frames each time", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const play = async (): Promise<string> =>
			[...framesOf(cassette, await timelineOf(cassette))].map((frame) => JSON.stringify(frame)).join("\n");
		const first = await play();
		expect(await play()).toBe(first);
		expect(first).toContain('"text_delta"');
	});

	test("of a failure plays the failure", async () => {
		const cassette = await record(
			{
				steps: [
					{ fault: { http: 429, retryAfter: 7 } },
					{ answer: "Some words of an answer.", fault: { tornAtByte: 700 } },
				],
			},
			["a", "b"],
		);
		for (const exchange of cassette.exchanges) {
			const { message } = await decoded(exchange);
			expect(message.stopReason).toBe("error");
			expect(message.failure?.kind).toBe(exchange.message.failure?.kind);
		}
		expect((await rebuilt(cassette)).drift).toEqual([]);
	});
});

describe("masking", () => {
	const known = knownSecrets({ MY_API_KEY: "hunter2hunter2hunter2" }, "/home/annabel");

	test("removes a secret from log, request and stream, also where it is cut into pieces", async () => {
		const secret = "hunter2hunter2hunter2";
		const cassette = await record(
			{
				steps: [
					{ answer: { blocks: [{ text: `The key is ${secret}.`, chunks: 20 }] } },
					`It is in /home/annabel/x: ${secret}`,
				],
			},
			[`use ${secret}`, "again"],
		);
		const result = await masked(cassette, known);
		expect(result.found.map(({ family }) => family)).toContain("home directory");
		const text = textOf(result.cassette);
		expect(text).not.toContain(secret);
		expect(text).not.toContain("annabel");
		// No piece of it is left either.
		const { drift } = await rebuilt(result.cassette);
		expect(drift).toEqual([]);
		const played = await Promise.all(result.cassette.exchanges.map((exchange) => decoded(exchange)));
		expect(JSON.stringify(played.map(({ beats }) => beats))).not.toMatch(/hunter2/);
		expect(result.cassette.exchanges[0]?.raw).toBeUndefined();
		expect(result.cassette.exchanges[1]?.raw).toBeDefined();
	});

	test("leaves a session without secrets as it is, byte for byte", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const result = await masked(cassette, nothingKnown);
		expect(result.found).toEqual([]);
		expect(result.cassette.log).toEqual([...cassette.log]);
	});
});

describe("a replay", () => {
	const replay = (cassette: Cassette, onMiss: "refuse" | "nearest"): Deck =>
		new Deck(cassette, { cwd: "/elsewhere", normal: (value) => value, onMiss });
	const none = (): never => {
		throw new Error("asked");
	};

	test("answers the same request without a network", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const deck = new Deck(cassette, {
			cwd: "/elsewhere",
			normal: (value) => JSON.parse(JSON.stringify(value).replaceAll("/work/project", "<cwd>")) as unknown,
			onMiss: "refuse",
		});
		// In another order, and from a server that is not there.
		const answers = [];
		for (const text of ["more", "hi"])
			answers.push(await deck.tap(none)(modelAt("http://127.0.0.1:9"), ask(text), {}).result());
		expect(answers.map(({ content }) => content)).toEqual([
			[{ type: "text", text: "Again." }],
			[{ type: "text", text: "Hello, wörld 🙂." }],
		]);
		expect(deck.misses).toEqual([]);
	});

	test("names the nearest recording and the first field that differs", async () => {
		const cassette = await record(talk, ["hi", "more"]);
		const deck = replay(cassette, "refuse");
		const { errorMessage } = await deck
			.tap(none)(modelAt("http://127.0.0.1:9"), { ...ask("mare"), systemPrompt: "You work in <cwd>." }, {})
			.result();
		expect(errorMessage).toContain(
			"Request 1 to played-1 is not in the cassette. The nearest recording is number 1.",
		);
		expect(errorMessage).toMatch(/differs in messages\[0\]\.content.*: recorded "hi".*, now "mare"/);
	});

	test("says when all recordings were used", async () => {
		const cassette = await record({ steps: ["One."] }, ["hi"]);
		const deck = replay(cassette, "nearest");
		const model = modelAt("http://127.0.0.1:9");
		await deck.tap(none)(model, ask("hi"), {}).result();
		const { errorMessage } = await deck.tap(none)(model, ask("hi"), {}).result();
		expect(errorMessage).toContain("all of its recordings were used");
	});

	test("by a model of another protocol plays the message", async () => {
		const cassette = await record({ steps: ["One."] }, ["hi"]);
		const deck = replay(cassette, "nearest");
		const answer = await deck
			.tap(none)(modelAt("http://127.0.0.1:9", "openai-completions"), ask("hi"), {})
			.result();
		expect(answer.content).toEqual([{ type: "text", text: "One." }]);
	});
});

describe("a file that is no whole cassette is refused", () => {
	const path = (name: string, bytes: string | Uint8Array): string => {
		const file = join(directory, name);
		writeFileSync(file, bytes);
		return file;
	};
	const whole = async (): Promise<string> => textOf(await record(talk, ["hi", "more"]));

	test("with what is wrong with it", async () => {
		const text = await whole();
		const lines = text.trimEnd().split("\n");
		const packed = zstdCompressSync(text);
		const cases: [name: string, bytes: string | Uint8Array, reason: RegExp][] = [
			["plain.cassette", text, /is not a cassette/],
			["empty.cassette", "", /is not a cassette/],
			["half.cassette", packed.subarray(0, packed.length / 2), /ends early/],
			["torn.cassette", zstdCompressSync(`${lines.slice(0, -1).join("\n")}\n`), /ends early/],
			["other.cassette", zstdCompressSync("{}\n"), /not a cassette/],
			[
				"newer.cassette",
				zstdCompressSync(text.replace('"version":1', '"version":99')),
				/written by a newer Tau \(format 99/,
			],
			[
				"edited.cassette",
				zstdCompressSync(text.replace('"type":"exchange"', '"type":"surprise"')),
				/not a line of a cassette/,
			],
			[
				"facts.cassette",
				zstdCompressSync(text.replace(/"cores":\d+/, '"cores":{}')),
				/not the first line of a cassette/,
			],
			[
				"blocks.cassette",
				zstdCompressSync(text.replace(/("type":"exchange".*"content":\[)/, "$1null,")),
				/not a line of a cassette/,
			],
			["broken.cassette", zstdCompressSync(text.replace('{"type":"log"', '{"type":"log')), /not valid JSON/],
		];
		for (const [name, bytes, reason] of cases)
			expect(() => readCassette(path(name, bytes)), name).toThrow(reason);
		expect(() => readCassette(join(directory, "nowhere"))).toThrow(/cannot be read/);
	});

	test("when it would unpack to more than the memory should hold", () => {
		const bomb = zstdCompressSync(Buffer.alloc(limits.unpackedBytes + 1024));
		expect(bomb.length).toBeLessThan(100_000);
		expect(() => readCassette(path("bomb.cassette", bomb))).toThrow(/unpacks to more than 256 MB/);
	});

	test("when its log has lines that are no entries", async () => {
		const text = (await whole()).replace(
			/\{"type":"log","line":"\{\\"type\\":\\"message\\"[^\n]*\n/,
			'{"type":"log","line":"{}"}\n',
		);
		expect(() => readCassette(path("log.cassette", zstdCompressSync(text)))).toThrow(/is not an entry/);
	});
});

test("another file is not replaced by a recording", () => {
	const file = join(directory, "notes.txt");
	writeFileSync(file, "mine");
	expect(() => checkTarget(file)).toThrow(/is not a cassette, so it is not replaced/);
	expect(() => checkTarget(directory)).toThrow(/is a directory/);
	expect(() => checkTarget(join(directory, "no/such/x.cassette"))).toThrow(/is not a directory/);
	expect(readFileSync(file, "utf8")).toBe("mine");
});

test("a report has no characters that XML cannot have", () => {
	const report = junit("a", [{ name: 'x "<&>\u0000', problem: "it\u001b[31m differs\nhere" }, { name: "y" }]);
	expect(report).toContain('name="x &quot;&lt;&amp;&gt;"');
	expect(report).toContain('tests="2" failures="1"');
	expect(report).not.toMatch(/[\u0000\u001b]/);
});

test("a compressed cassette is much smaller than its text", async () => {
	const text = textOf(
		await record({ steps: [{ answer: { blocks: [{ text: "word ".repeat(2000), chunks: 500 }] } }] }, ["hi"]),
	);
	const packed = zstdCompressSync(text);
	expect(packed.length * 10).toBeLessThan(text.length);
	expect(zstdDecompressSync(packed).toString()).toBe(text);
});
