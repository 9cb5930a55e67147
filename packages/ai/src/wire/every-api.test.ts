/** What every protocol has in common: how an answer ends, how errors are reported, and who counts as silent. */
import { describe, expect, test } from "bun:test";

import { stream } from "../stream.ts";
import { askServer, hello, modelAt, receive, setEnv } from "../testing/asking.ts";
import { eventStreamMessage } from "../testing/event-stream-message.ts";
import type { AssistantMessage, StreamOptions } from "../types.ts";
import { codecFor } from "./table.ts";

interface Wire {
	api: string;
	/** The body of a stream with these events. */
	body(...events: object[]): string | Uint8Array<ArrayBuffer>;
	/** The events of an answer with the text "hi", up to its end. */
	begin: object[];
	/** The events that end it for this reason. */
	end(reason: string): object[];
	complete: string;
	/** The same answer from a server that does not stream; undefined where the protocol has none. */
	document?: object;
	/** An error with the usage 11 and 7. */
	errorWithUsage: object;
}

const sse = (...events: object[]): string =>
	events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const google = (...parts: object[]): object => ({ candidates: [{ content: { role: "model", parts } }] });
const googleEnd = (finishReason: string): object => ({ candidates: [{ finishReason }] });
const part = { type: "output_text", text: "hi" };
const output = [{ type: "message", id: "m", content: [part] }];

const wires: Wire[] = [
	{
		api: "anthropic-messages",
		body: sse,
		begin: [
			{ type: "message_start", message: { id: "m" } },
			{ type: "content_block_start", index: 0, content_block: { type: "text", text: "hi" } },
			{ type: "content_block_stop", index: 0 },
		],
		end: (reason) => [{ type: "message_delta", delta: { stop_reason: reason } }, { type: "message_stop" }],
		complete: "end_turn",
		document: { type: "message", content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" },
		errorWithUsage: {
			type: "error",
			error: { type: "overloaded_error", message: "Overloaded" },
			usage: { input_tokens: 11, output_tokens: 7 },
		},
	},
	{
		api: "openai-completions",
		body: sse,
		begin: [{ choices: [{ delta: { content: "hi" } }] }],
		end: (reason) => [{ choices: [{ delta: {}, finish_reason: reason }] }],
		complete: "stop",
		document: { choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }] },
		errorWithUsage: {
			error: { message: "Overloaded", code: 503 },
			usage: { prompt_tokens: 11, completion_tokens: 7 },
		},
	},
	{
		api: "openai-responses",
		body: sse,
		begin: [{ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "hi" }],
		end: (reason) => [
			{
				type: "response.incomplete",
				response: { status: "incomplete", incomplete_details: { reason } },
			},
		],
		complete: "",
		document: { object: "response", status: "completed", output },
		errorWithUsage: {
			type: "response.failed",
			response: {
				status: "failed",
				error: { code: "server_error", message: "Overloaded" },
				usage: { input_tokens: 11, output_tokens: 7 },
			},
		},
	},
	{
		api: "google-generative-ai",
		body: sse,
		begin: [google({ text: "hi" })],
		end: (reason) => [googleEnd(reason)],
		complete: "STOP",
		document: [google({ text: "hi" }), googleEnd("STOP")],
		errorWithUsage: {
			error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" },
			usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7 },
		},
	},
	{
		api: "ollama-chat",
		body: (...events) => events.map((event) => `${JSON.stringify(event)}\n`).join(""),
		begin: [{ message: { content: "hi" } }],
		end: (reason) => [{ done: true, done_reason: reason }],
		complete: "stop",
		document: { message: { content: "hi" }, done: true, done_reason: "stop" },
		errorWithUsage: { error: "Overloaded", prompt_eval_count: 11, eval_count: 7 },
	},
	{
		api: "tau-gateway",
		body: sse,
		begin: [
			{ type: "text_start", contentIndex: 0 },
			{ type: "text_delta", contentIndex: 0, delta: "hi" },
		],
		end: (reason) => [{ type: "done", reason }],
		complete: "stop",
		errorWithUsage: {
			type: "error",
			failure: { kind: "overloaded", message: "Overloaded" },
			usage: { input: 11, output: 7 },
		},
	},
	{
		api: "bedrock-converse-stream",
		body: (...events) => Buffer.concat(events.map((event) => Buffer.from(bedrock(event)))),
		begin: [{ contentBlockDelta: { contentBlockIndex: 0, delta: { text: "hi" } } }],
		end: (reason) => [{ messageStop: { stopReason: reason } }],
		complete: "end_turn",
		errorWithUsage: {
			serviceUnavailableException: {
				message: "Overloaded",
				usage: { inputTokens: 11, outputTokens: 7 },
			},
		},
	},
];

function bedrock(event: object): Uint8Array {
	const [[name, payload] = ["", {}]] = Object.entries(event);
	const kind = name.endsWith("Exception") ? "exception" : "event";
	const headers = { ":message-type": kind, [`:${kind}-type`]: name };
	return eventStreamMessage(headers, JSON.stringify(payload));
}

const options: StreamOptions = { apiKey: "key" };

/** One request to a server that sends this. */
async function answerOf(
	{ api }: Wire,
	body: ConstructorParameters<typeof Response>[0],
	type = "",
): Promise<AssistantMessage> {
	const headers = type === "" ? undefined : { "content-type": type };
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => new Response(body, headers ? { headers } : {}),
	});
	return (await receive(stream(modelAt(server.url.href, api), hello, options))).message;
}

const hi = [{ type: "text", text: "hi" }];

describe.each(wires.map((wire) => [wire.api, wire] as const))("%s", (_api, wire) => {
	const { body, begin, end, complete } = wire;

	test("a known reason ends an answer, an unknown one fails it by name", async () => {
		const known = await answerOf(wire, body(...begin, ...end(complete)));
		expect(known).toMatchObject({ content: hi });
		expect(known.errorMessage).toBeUndefined();
		const unknown = await answerOf(wire, body(...begin, ...end("moon_phase")));
		expect(unknown).toMatchObject({ stopReason: "error", content: hi, failure: { kind: "unknown" } });
		expect(unknown.errorMessage).toContain("moon_phase");
	});

	test("an error in a stream is reported, and its usage is counted", async () => {
		const failed = await answerOf(wire, body(...begin, wire.errorWithUsage));
		expect(failed).toMatchObject({ stopReason: "error", content: hi, failure: { kind: "overloaded" } });
		expect(failed.errorMessage).toContain("Overloaded");
		expect(failed.usage).toMatchObject({ input: 11, output: 7 });
	});

	test("a web page is named as one", async () => {
		const page = "<!doctype html><html><head><title>Hotel Wi-Fi login</title></head></html>";
		for (const type of ["text/html", "", "text/event-stream"]) {
			const failed = await answerOf(wire, page, type);
			expect(failed.failure?.kind).toBe("invalid_request");
			expect(failed.errorMessage).toContain("a web page instead of a model's answer (Hotel Wi-Fi login)");
		}
	});

	test("a JSON error with status 200 keeps its reason", async () => {
		const refusal = { error: { message: "No credits left", code: 402 } };
		const failed = await answerOf(wire, JSON.stringify(refusal, null, 2), "application/json");
		expect(failed.failure).toEqual({ kind: "auth", status: 402, message: "HTTP 402: No credits left" });
	});

	test("JSON that is no answer is quoted", async () => {
		const failed = await answerOf(wire, JSON.stringify({ hello: "world" }, null, 2), "application/json");
		expect(failed.stopReason).toBe("error");
		expect(failed.errorMessage).toContain('JSON that is not a model\'s answer: { "hello": "world" }');
	});
});

const readable = wires.filter(({ document }) => document !== undefined);

test.each(readable.map((wire) => [wire.api, wire] as const))(
	"%s: the JSON of a server that does not stream is read",
	async (_api, wire) => {
		for (const type of ["application/json", "", "text/event-stream"]) {
			const answer = await answerOf(wire, JSON.stringify(wire.document, null, 1), type);
			expect(answer.errorMessage).toBeUndefined();
			expect(answer).toMatchObject({ stopReason: "stop", content: hi });
		}
	},
);

const streams = wires.filter(({ body }) => body === sse);

describe.each(streams.map((wire) => [wire.api, wire] as const))("%s", (_api, wire) => {
	test.each([
		["an error without a type", 'data: {"error": {"message": "Rate limit reached"}}\n\n'],
		["an error that is a sentence", 'data: {"error": "Rate limit reached"}\n\n'],
		["an event named error", 'event: error\ndata: {"message": "Rate limit reached"}\n\n'],
		["an event named error with plain text", "event: error\ndata: Rate limit reached\n\n"],
		["plain text in an event", "data: Rate limit reached\n\n"],
		["plain text beside the events", "Rate limit reached\n"],
		["plain text without a line feed", "Rate limit reached"],
		["JSON beside the events", '{"error": {"message": "Rate limit reached"}}\n'],
		["an error without the blank line", 'data: {"error": {"message": "Rate limit reached"}}'],
	])("%s keeps its reason", async (_shape, error) => {
		for (const before of [[], wire.begin]) {
			const failed = await answerOf(wire, `${sse(...before)}${error}`, "text/event-stream");
			expect(failed).toMatchObject({ stopReason: "error", failure: { kind: "rate_limit" } });
			expect(failed.errorMessage).toContain("Rate limit reached");
			expect(failed.content).toMatchObject(before.length > 0 ? hi : []);
		}
	});

	test("an error text of unknown form is quoted", async () => {
		const failed = await answerOf(wire, `${sse(...wire.begin)}upstream went for a walk\n`);
		expect(failed.failure?.kind).toBe("network");
		expect(failed.errorMessage).toContain("upstream went for a walk");
	});
});

test("the last line of JSON lines needs no line feed", async () => {
	const wire = wires.find(({ api }) => api === "ollama-chat");
	if (!wire) throw new Error("no such row");
	const lines = [...wire.begin, ...wire.end("stop")].map((line) => JSON.stringify(line));
	expect(await answerOf(wire, lines.join("\n"))).toMatchObject({ stopReason: "stop", content: hi });
});

/** A body that sends `first`, and then `again` forever. */
function dripping(first: string, again: string, everyMs: number): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	let timer: Timer | undefined;
	return new ReadableStream({
		start(controller) {
			controller.enqueue(encoder.encode(first));
			timer = setInterval(() => controller.enqueue(encoder.encode(again)), everyMs);
		},
		cancel: () => clearInterval(timer),
	});
}

describe("a server that only keeps the connection open times out:", () => {
	const text = sse(
		{ type: "message_start", message: {} },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "hi" } },
	);
	const thinking = sse(
		{ type: "message_start", message: {} },
		{ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
	);
	const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
	const long = "60000";

	test.each([
		["comments before the first event", ": wait\n\n", ": wait\n\n", "40", long],
		["pings before the first event", ping, ping, "40", long],
		["pings after the head", sse({ type: "message_start", message: {} }), ping, "40", long],
		["pings while it may be thinking", thinking, ping, "40", "20"],
		["comments in the middle", text, ": wait\n", long, "40"],
		["pings in the middle", text, ping, long, "40"],
		["one byte at a time of an event without an end", `${text}data: `, " ", long, "40"],
	])("%s", async (_kind, first, again, firstEvent, idle) => {
		using _env = setEnv({
			TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: firstEvent,
			TAU_STREAM_IDLE_TIMEOUT_MS: idle,
		});
		const { message } = await askServer("anthropic-messages", () => new Response(dripping(first, again, 5)));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "timeout" } });
	});

	test("hidden thinking may take as long as the first event", async () => {
		using _env = setEnv({ TAU_STREAM_FIRST_EVENT_TIMEOUT_MS: long, TAU_STREAM_IDLE_TIMEOUT_MS: "20" });
		const rest = sse(
			{ type: "content_block_start", index: 1, content_block: { type: "text", text: "hi" } },
			{ type: "message_delta", delta: { stop_reason: "end_turn" } },
			{ type: "message_stop" },
		);
		const body = async function* () {
			yield thinking;
			for (let pings = 0; pings < 20; pings++) {
				await Bun.sleep(5);
				yield ping;
			}
			yield rest;
		};
		const { message } = await askServer("anthropic-messages", () => new Response(body()));
		expect(message).toMatchObject({ stopReason: "stop", content: [{ type: "thinking" }, { text: "hi" }] });
	});
});

test.each([
	["openai-completions", { max_completion_tokens: 99 }],
	["openai-responses", { max_output_tokens: 99 }],
	["google-generative-ai", { generationConfig: { maxOutputTokens: 99 } }],
	["ollama-chat", { options: { num_predict: 99 } }],
])("%s sends the model's token limit on request", async (api, expected) => {
	const codec = await codecFor(api);
	const model = modelAt("http://127.0.0.1", api, { maxTokens: 99 });
	const limited = { ...model, compat: { sendMaxTokens: true } };
	expect(codec?.encode(limited, hello, {})).toMatchObject(expected);
	expect(JSON.stringify(codec?.encode(model, hello, {}))).not.toContain("99");
});
