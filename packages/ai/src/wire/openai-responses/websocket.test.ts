/** Codex over a websocket: one for the requests of a conversation, and HTTP when that does not work. */
import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";

import { hello, modelAt, receive, setEnv, type ReceivedAnswer } from "../../testing/asking.ts";
import { stream } from "../../stream.ts";
import {
	playModel,
	type Answer,
	type PlayedModel,
	type PlayOptions,
	type ReceivedRequest,
	type Step,
} from "../../testing/index.ts";
import type { KeptConnection, Message, Model, StreamOptions, WebSocketUse } from "../../types.ts";
import { result, text, user } from "../testing/messages.ts";

const tale = "Once upon a time there was a model. ";
const limit = { error: { type: "invalid_request_error", code: "", message: "no" } };

/** The owner of a conversation's connection. */
class Talk implements Disposable {
	readonly connection: KeptConnection;
	readonly messages: Message[] = [];
	readonly model: Model;

	constructor(
		played: PlayedModel,
		{ use = "on", change = {} }: { use?: WebSocketUse; change?: Partial<Model> } = {},
	) {
		this.connection = { websocket: use };
		this.model = modelAt(`${played.url}/backend-api`, "openai-codex-responses", {
			reasoning: true,
			...change,
		});
	}

	/** Adds the message and the answer to it. */
	async ask(message: Message, options: StreamOptions = {}, model = this.model): Promise<ReceivedAnswer> {
		this.messages.push(message);
		const context = { systemPrompt: "Be brief.", messages: [...this.messages] };
		const { connection } = this;
		const answer = await receive(stream(model, context, { connection, apiKey: "key", ...options }));
		this.messages.push(answer.message);
		return answer;
	}

	[Symbol.dispose](): void {
		this.connection.open?.[Symbol.dispose]();
	}
}

function play(steps: (Step | string)[], options?: PlayOptions): Promise<PlayedModel> {
	return playModel({ steps }, options);
}

function bodyOf(request: ReceivedRequest | undefined): Record<string, unknown> {
	return request?.body as Record<string, unknown>;
}

/** True when the number of open websockets is as expected, within the test's own time. */
async function sockets(played: PlayedModel, count: number): Promise<void> {
	while (played.openSockets !== count) await setImmediate();
}

const calling: Answer = {
	blocks: [
		{ thinking: "Look first.", chunks: 2 },
		{ toolCall: { name: "ls", arguments: { path: "." }, id: "c1" } },
	],
};

test("the requests of a conversation share a websocket, and only what is new is sent", async () => {
	await using played = await play([calling, tale, "bye"].map((answer) => ({ answer })));
	using talk = new Talk(played);
	const first = await talk.ask(user("what is here?"), { sessionId: "s-1" });
	expect(first.message.stopReason).toBe("toolUse");
	const call = first.message.content.find((block) => block.type === "toolCall");
	const second = await talk.ask(result(call?.id ?? "", text("a.ts")), { sessionId: "s-1" });
	expect(second.message.content).toMatchObject([{ type: "text", text: tale }]);
	await talk.ask(user("thanks"), { sessionId: "s-1" });

	expect(played.requests.map(({ socket }) => socket)).toEqual([1, 1, 1]);
	const [one, two, three] = played.requests;
	expect(one?.path).toBe("/backend-api/codex/responses");
	expect(one?.headers).toMatchObject({
		authorization: "Bearer key",
		"openai-beta": "responses_websockets=2026-02-06",
		originator: "tau",
		session_id: "s-1",
	});
	expect(bodyOf(one)).toMatchObject({ type: "response.create", store: false, instructions: "Be brief." });
	expect(bodyOf(one)).not.toHaveProperty("stream");
	expect(bodyOf(one)).not.toHaveProperty("previous_response_id");
	expect(bodyOf(two)).toMatchObject({
		instructions: "Be brief.",
		previous_response_id: first.message.responseId,
		input: [{ type: "function_call_output", call_id: "c1", output: "a.ts" }],
	});
	expect(bodyOf(three)).toMatchObject({ previous_response_id: second.message.responseId });
	expect(bodyOf(three)["input"]).toHaveLength(1);
});

test("the answer is the same as over HTTP", async () => {
	const steps = [{ answer: calling }, { answer: { blocks: [{ text: tale, chunks: 6 }] } }];
	const contents = await Promise.all(
		(["on", "off"] as const).map(async (use) => {
			await using played = await play(steps);
			using talk = new Talk(played, { use });
			const answers = [await talk.ask(user("a")), await talk.ask(user("b"))];
			expect(played.requests.every(({ socket }) => (socket === undefined) === (use === "off"))).toBe(true);
			// How many deltas are merged depends on when they are read.
			return answers.map(({ events, message }) => [new Set(events.map(({ type }) => type)), message.content]);
		}),
	);
	expect(contents[0]).toEqual(contents[1]);
});

test("a conversation that has changed is sent as a whole", async () => {
	await using played = await play(["one", "two"]);
	using talk = new Talk(played);
	await talk.ask(user("first"));
	talk.messages[0] = user("first, changed");
	await talk.ask(user("second"));
	expect(bodyOf(played.requests[1])).not.toHaveProperty("previous_response_id");
	expect(bodyOf(played.requests[1])["input"]).toHaveLength(3);
});

test("an answer that was dropped from the context is not continued", async () => {
	await using played = await play(["one", "two"]);
	using talk = new Talk(played);
	const { message } = await talk.ask(user("first"));
	talk.messages[1] = { ...message, content: [text("(dropped)")], elided: { tokens: 9, at: 0, byUser: true } };
	await talk.ask(user("second"));
	expect(bodyOf(played.requests[1])).not.toHaveProperty("previous_response_id");
});

describe("whether a websocket is used", () => {
	test.each<[WebSocketUse, boolean | undefined, boolean]>([
		["auto", true, true],
		["auto", undefined, false],
		["on", undefined, true],
		["off", true, false],
	])("%s, provider known to have one: %j", async (use, supportsWebsocket, expected) => {
		await using played = await play(["hi"]);
		using talk = new Talk(played, {
			use,
			change: { compat: supportsWebsocket ? { supportsWebsocket } : {} },
		});
		await talk.ask(user("hello"));
		expect(played.requests[0]?.socket !== undefined).toBe(expected);
	});

	test("not without an owner of the conversation", async () => {
		await using played = await play(["hi"]);
		const model = modelAt(`${played.url}/backend-api`, "openai-codex-responses", {
			compat: { supportsWebsocket: true },
		});
		await receive(stream(model, hello));
		expect(played.requests[0]?.socket).toBeUndefined();
	});
});

describe("HTTP is used instead", () => {
	test("when the server knows no websockets, also for the next requests", async () => {
		await using played = await play(["one", "two"], { websockets: false });
		using talk = new Talk(played);
		expect((await talk.ask(user("a"))).message).toMatchObject({
			stopReason: "stop",
			content: [{ text: "one" }],
		});
		expect((await talk.ask(user("b"))).message).toMatchObject({
			stopReason: "stop",
			content: [{ text: "two" }],
		});
		expect(played.requests.map(({ socket, method }) => [socket, method])).toEqual([
			[undefined, "POST"],
			[undefined, "POST"],
		]);
		// One handshake was refused, and no second one tried.
		expect(played.others.map(({ path }) => path)).toEqual(["/backend-api/codex/responses"]);
	});

	test("when the server refuses over a websocket what it may accept over HTTP", async () => {
		await using played = await play([{ fault: { http: 400 } }, "over HTTP"]);
		using talk = new Talk(played);
		expect((await talk.ask(user("a"))).message).toMatchObject({ content: [{ text: "over HTTP" }] });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, undefined]);
	});

	test("for a request that comes while another is being answered, and for no other", async () => {
		const slow = {
			answer: { blocks: [{ text: tale, chunks: 6 }] },
			fault: { pauseMs: 60_000, afterChunks: 3 },
		};
		await using played = await play([slow, "second", "third"]);
		using talk = new Talk(played);
		const stop = new AbortController();
		const first = stream(talk.model, hello, { connection: talk.connection, signal: stop.signal });
		await played.waitForRequest(1);
		expect((await talk.ask(user("b"))).message).toMatchObject({ content: [{ text: "second" }] });
		stop.abort();
		expect(await first.result()).toMatchObject({ stopReason: "aborted" });
		expect((await talk.ask(user("c"))).message).toMatchObject({ content: [{ text: "third" }] });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, undefined, 2]);
	});

	test("when the connection is lost again and again", async () => {
		using _env = setEnv({ TAU_CODEX_WEBSOCKET_RETRY_BUDGET: "2", TAU_CODEX_WEBSOCKET_RETRY_DELAY_MS: "1" });
		await using played = await play([{ answer: tale, fault: { tornAtByte: 0 }, times: 3 }, "over HTTP"]);
		using talk = new Talk(played);
		expect((await talk.ask(user("a"))).message).toMatchObject({ content: [{ text: "over HTTP" }] });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, 2, 3, undefined]);
	});
});

describe("another websocket is opened", () => {
	test("when the connection was lost before the answer began", async () => {
		using _env = setEnv({ TAU_CODEX_WEBSOCKET_RETRY_DELAY_MS: "1" });
		await using played = await play([{ answer: tale, fault: { tornAtByte: 0 } }, tale]);
		using talk = new Talk(played);
		expect((await talk.ask(user("a"))).message).toMatchObject({ content: [{ text: tale }] });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, 2]);
	});

	test.each(["previous_response_not_found", "websocket_connection_limit_reached"])(
		"after %s, with the whole conversation",
		async (code) => {
			const body = { error: { ...limit.error, code } };
			await using played = await play(["one", { fault: { http: 400, body } }, "two"]);
			using talk = new Talk(played);
			await talk.ask(user("a"));
			expect((await talk.ask(user("b"))).message).toMatchObject({ content: [{ text: "two" }] });
			expect(played.requests.map(({ socket }) => socket)).toEqual([1, 1, 2]);
			expect(bodyOf(played.requests[1])).toHaveProperty("previous_response_id");
			expect(bodyOf(played.requests[2])).not.toHaveProperty("previous_response_id");
			expect(bodyOf(played.requests[2])["input"]).toHaveLength(3);
		},
	);

	test("for another model", async () => {
		await using played = await play(["one", "two"]);
		using talk = new Talk(played);
		await talk.ask(user("a"));
		await talk.ask(user("b"), {}, { ...talk.model, id: "another" });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, 2]);
		await sockets(played, 1);
	});
});

describe("a failure", () => {
	test("that is about the account is not sent again over HTTP, and says how long to wait", async () => {
		await using played = await play([{ fault: { http: 429, retryAfter: 7 } }, "not asked"]);
		using talk = new Talk(played);
		const { message } = await talk.ask(user("a"));
		expect(message.failure).toMatchObject({ kind: "rate_limit", status: 429, retryAfterMs: 7000 });
		expect(played.requests).toHaveLength(1);
	});

	test("in the middle of an answer keeps what has arrived", async () => {
		await using played = await play([
			{ answer: { blocks: [{ text: tale, chunks: 6 }] }, fault: { truncated: true } },
		]);
		using talk = new Talk(played);
		const { message } = await talk.ask(user("a"));
		expect(message).toMatchObject({
			stopReason: "error",
			failure: { kind: "network" },
			content: [{ text: tale }],
		});
	});

	test("a message that is not JSON ends the answer and is quoted", async () => {
		const fault = { malformedLine: "}{ what is this", afterChunks: 2 };
		await using played = await play([{ answer: { blocks: [{ text: tale, chunks: 6 }] }, fault }]);
		using talk = new Talk(played);
		const { message } = await talk.ask(user("a"));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "network" } });
		expect(message.errorMessage).toContain("}{ what is this");
	});

	test("a silent server is given up and disconnected, and HTTP is next", async () => {
		using _env = setEnv({ TAU_CODEX_WEBSOCKET_IDLE_TIMEOUT_MS: "500" });
		await using played = await play([{ fault: { silent: true } }, "over HTTP"]);
		using talk = new Talk(played);
		const { message } = await talk.ask(user("a"));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "timeout" } });
		expect((await played.waitForEnd(1)).aborted).toBe(true);
		talk.messages.length = 0;
		expect((await talk.ask(user("a"))).message).toMatchObject({ content: [{ text: "over HTTP" }] });
		expect(played.requests.map(({ socket }) => socket)).toEqual([1, undefined]);
	});
});

describe("a websocket is closed", () => {
	test("by an abort in the middle of an answer; the next request opens another", async () => {
		const slow = {
			answer: { blocks: [{ text: tale, chunks: 6 }] },
			fault: { pauseMs: 60_000, afterChunks: 3 },
		};
		await using played = await play([slow, "again"]);
		using talk = new Talk(played);
		const stop = new AbortController();
		const context = { messages: [user("a")] };
		const { connection } = talk;
		const answer = stream(talk.model, context, { connection, signal: stop.signal });
		for await (const { type } of answer) if (type === "text_delta") stop.abort();
		expect(await answer.result()).toMatchObject({ stopReason: "aborted" });
		expect((await played.waitForEnd(1)).aborted).toBe(true);
		expect((await talk.ask(user("b"))).message).toMatchObject({ content: [{ text: "again" }] });
		expect(played.requests[1]).toMatchObject({ socket: 2 });
	});

	test("by the owner of the conversation, and by a model of another protocol", async () => {
		await using played = await play(["one", "two", "three"]);
		const talk = new Talk(played);
		await talk.ask(user("a"));
		expect(played.openSockets).toBe(1);
		await talk.ask(user("b"), {}, modelAt(played.openaiUrl, "openai-completions"));
		await sockets(played, 0);
		await talk.ask(user("c"));
		expect(played.openSockets).toBe(1);
		talk[Symbol.dispose]();
		await sockets(played, 0);
	});
});

test("a long answer arrives whole and in order", async () => {
	const long = Array.from({ length: 20_000 }, (_, n) => `word ${n} `).join("");
	await using played = await play([{ answer: { blocks: [{ text: long, chunks: 20_000 }] } }]);
	using talk = new Talk(played);
	const { message } = await talk.ask(user("a"));
	expect(message.content).toMatchObject([{ type: "text", text: long }]);
});
