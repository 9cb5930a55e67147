/** Google's protocol in the envelope of Code Assist: requests, answers, and failures as a user sees them. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { askEvents, receive, hello, modelAt, setEnv } from "../../testing/asking.ts";
import { joinKey, splitKey } from "../../auth/code-assist/key.ts";
import { promiseClearEnds, promiseToTellLinesApart } from "../../testing/failing.ts";
import { stream } from "../../stream.ts";
import { playModel, type Answer, type PlayedModel } from "../../testing/index.ts";
import type { Model, StreamOptions } from "../../types.ts";
import { answer, call, result, user } from "../testing/messages.ts";
import { encodeCodeAssist } from "./code-assist.ts";
import { encode } from "./encode.ts";

const api = "google-gemini-cli";
const token = "ya29.token-of-the-test";
const options: StreamOptions = { apiKey: joinKey(token, "mine") };
const nowhere = { GOOGLE_CLOUD_PROJECT: "", GOOGLE_CLOUD_PROJECT_ID: "" };

function ask(played: PlayedModel, change: Partial<Model> = {}) {
	return stream(modelAt(played.url, api, change), hello, options);
}

describe("a server that fails", () => {
	promiseClearEnds((played) => ask(played));
	promiseToTellLinesApart((played) => ask(played));

	test("may end at any byte: the answer is complete or a network failure, and more bytes never give less", async () => {
		const blocks: Answer["blocks"] = [
			{ thinking: "Let me think about 🙂", signature: "c2ln", chunks: 3 },
			{ text: "Ich höre 你好. ", chunks: 4 },
			{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" } },
		];
		await using played = await playModel({ steps: [{ answer: { blocks, id: "fixed" }, times: 2 }] });
		const whole = (await receive(ask(played))).message;
		expect(whole.stopReason).toBe("toolUse");
		const { path, query, rawBody } = await played.waitForRequest(1);
		const again = await fetch(`${played.url}${path}?${query}`, { method: "POST", body: rawBody });
		const bytes = await again.bytes();
		let length = 0;
		await using server = Bun.serve({ port: 0, fetch: () => new Response(bytes.subarray(0, length)) });
		let before = 0;
		for (; length < bytes.length; length += 23) {
			const { message } = await receive(stream(modelAt(server.url.href, api), hello, options));
			if (message.stopReason === "error") expect(message.failure?.kind).toBe("network");
			else expect(message.content).toEqual(whole.content);
			const chars = JSON.stringify(message.content).length;
			expect(chars).toBeGreaterThanOrEqual(before);
			before = chars;
		}
		length = bytes.length;
		const { message } = await receive(stream(modelAt(server.url.href, api), hello, options));
		expect(message.content).toEqual(whole.content);
	});

	test("reports when the account's quota resets", async () => {
		const error = {
			code: 429,
			message: "You have exhausted your capacity on this model. Your quota will reset after 33s.",
			status: "RESOURCE_EXHAUSTED",
			details: [
				{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "QUOTA_EXHAUSTED" },
				{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33.5s" },
			],
		};
		await using played = await playModel({ steps: [{ fault: { http: 429, body: [{ error }] } }] });
		const { message } = await receive(ask(played));
		expect(message.failure).toMatchObject({ kind: "rate_limit", retryAfterMs: 33_500 });
	});
});

describe("a request", () => {
	test("goes to the service with the login's token, as the Gemini CLI sends it", async () => {
		await using played = await playModel({ steps: ["hi", "hi"] });
		await receive(ask(played, { id: "gemini-x" }));
		const { path, query, headers, body } = await played.waitForRequest(1);
		expect([path, query]).toEqual(["/v1internal:streamGenerateContent", "alt=sse"]);
		expect(headers).toMatchObject({
			authorization: `Bearer ${token}`,
			"user-agent": `GeminiCLI/0.35.3/gemini-x (${process.platform}; ${process.arch})`,
			"x-goog-api-client": expect.stringMatching(/^gl-node\//),
			"client-metadata": expect.stringContaining('"pluginType":"GEMINI"'),
		});
		expect(body).toMatchObject({ model: "gemini-x", project: "mine", request: { contents: [{}] } });
		using _env = setEnv({ TAU_AI_GEMINI_CLI_VERSION: "1.2.3-nightly" });
		await receive(ask(played));
		const agent = (await played.waitForRequest(2)).headers["user-agent"];
		expect(agent).toStartWith("GeminiCLI/1.2.3-nightly/played-1 (");
	});

	test("has Google's own body inside, without fields that the service does not know", () => {
		const model = modelAt("", api, { reasoning: true, compat: { extraBody: { safetySettings: [] } } });
		const context = { systemPrompt: "Be brief.", messages: [user("hello")] };
		const requested: StreamOptions = { ...options, maxTokens: 7, temperature: 0, reasoning: "low" };
		expect(encodeCodeAssist(model, context, { ...requested, serviceTier: "flex" })).toEqual({
			model: "played-1",
			project: "mine",
			request: encode(model, context, requested),
		});
	});

	test("names the session, and the user's last prompt in it", () => {
		const messages = [user("a"), answer(call("t1", "read", {})), result("t1")];
		const idOf = (...more: ReturnType<typeof user>[]) =>
			encodeCodeAssist(modelAt("", api), { messages: [...messages, ...more] }, { sessionId: "s" });
		expect(idOf()).toMatchObject({ user_prompt_id: "s########0", request: { session_id: "s" } });
		expect(idOf(user("b"))).toMatchObject({ user_prompt_id: "s########1" });
	});

	test.each(["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"])(
		"with a token alone is billed to the project of %s",
		async (name) => {
			using _env = setEnv({ ...nowhere, [name]: "theirs" });
			await using played = await playModel({ steps: ["hi", "hi"] });
			await receive(stream(modelAt(played.url, api), hello, { apiKey: token }));
			const { headers, body } = await played.waitForRequest(1);
			expect([headers.authorization, body]).toMatchObject([`Bearer ${token}`, { project: "theirs" }]);
			// The login's project overrides a variable that may be meant for another program.
			await receive(ask(played));
			expect((await played.waitForRequest(2)).body).toMatchObject({ project: "mine" });
		},
	);

	test("without a project is not sent, and the answer gives advice", async () => {
		using _env = setEnv(nowhere);
		await using played = await playModel({ steps: [] });
		const { message } = await receive(stream(modelAt(played.url, api), hello, { apiKey: token }));
		expect(message).toMatchObject({ stopReason: "error", failure: { kind: "auth" } });
		expect(message.errorMessage).toContain("tau login played, or set GOOGLE_CLOUD_PROJECT");
		expect(played.requests).toEqual([]);
	});
});

describe("an answer", () => {
	const response = { candidates: [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }] };

	test("has its trace as its id if the response has none", async () => {
		using _env = setEnv({ GOOGLE_CLOUD_PROJECT: "mine" });
		const { message } = await askEvents(api, [{ response, traceId: "t-1" }]);
		expect(message).toMatchObject({ stopReason: "stop", responseId: "t-1", content: [{ text: "hi" }] });
		const named = await askEvents(api, [{ response: { ...response, responseId: "r-1" }, traceId: "t-1" }]);
		expect(named.message.responseId).toBe("r-1");
	});

	test("may come without an envelope, empty, or with unknown fields", async () => {
		using _env = setEnv({ GOOGLE_CLOUD_PROJECT: "mine" });
		const { message } = await askEvents(api, [
			{ traceId: "t" },
			{ response: null },
			{ response: {} },
			response,
		]);
		expect(message).toMatchObject({ stopReason: "stop", content: [{ text: "hi" }] });
	});

	test("that is rejected has a reason", async () => {
		using _env = setEnv({ GOOGLE_CLOUD_PROJECT: "mine" });
		const { message } = await askEvents(api, [{ response: { promptFeedback: { blockReason: "SAFETY" } } }]);
		expect(message.failure?.kind).toBe("refusal");
	});
});

test("a key with a project is split as it was joined, and any other is a token", () => {
	fc.assert(
		fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (key, project) => {
			expect(splitKey(joinKey(key, project))).toEqual({ token: key, project });
		}),
	);
	for (const key of ["ya29.x", "{", "{}", '{"token":1}']) expect(splitKey(key)).toEqual({ token: key });
	expect(splitKey('{"token":"t"}')).toEqual({ token: "t" });
});
