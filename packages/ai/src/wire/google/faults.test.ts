/** What a user sees when Google's servers fail, and what reaches them: both APIs, on the wire. */
import { describe, expect, test } from "bun:test";

import { receive, hello, modelAt, setEnv, type ReceivedAnswer } from "../../testing/asking.ts";
import { gcloudFile, makeHome, serveTokens, userFile } from "../../auth/google-cloud/testing/token-server.ts";
import {
	promiseClearEnds,
	promiseToTellLinesApart,
	promiseTornAnswers,
	story,
	tale,
	textOf,
} from "../../testing/failing.ts";
import { stream } from "../../stream.ts";
import { playModel, type Answer, type PlayedModel, type Step } from "../../testing/index.ts";
import type { Context, StreamOptions } from "../../types.ts";
import { result, user } from "../testing/messages.ts";

const places = [
	["google-generative-ai", (played: PlayedModel) => played.googleUrl],
	["google-vertex", (played: PlayedModel) => played.url],
] as const;

const options: StreamOptions = { apiKey: "the-key-of-the-test" };

describe.each(places)("%s", (api, urlOf) => {
	async function ask(step: Step, context: Context = hello): Promise<ReceivedAnswer> {
		await using played = await playModel({ steps: [step] });
		return await receive(stream(modelAt(urlOf(played), api), context, options));
	}

	const toPlayed = (played: PlayedModel) => stream(modelAt(urlOf(played), api), hello, options);
	promiseClearEnds(toPlayed);
	promiseToTellLinesApart(toPlayed);
	promiseTornAnswers(toPlayed, {
		blocks: [
			{ thinking: "Let me think about 🙂", signature: "c2ln", chunks: 3 },
			{ text: "Ich höre 你好. ", chunks: 4 },
			{ toolCall: { name: "edit", arguments: { path: "a", lines: [1, { "🙂": null }] }, id: "t1" } },
		],
		id: "fixed",
	});

	test("an invalid key is an auth failure, although the status is 400", async () => {
		const error = {
			code: 400,
			message: "API key not valid. Please pass a valid API key.",
			status: "INVALID_ARGUMENT",
		};
		expect((await ask({ fault: { http: 400, body: { error } } })).message.failure?.kind).toBe("auth");
	});

	test("an error in the middle of a stream contains its status", async () => {
		const errorEvent = { type: "UNAVAILABLE", message: "The model is overloaded." };
		const outcome = await ask({ answer: tale, fault: { errorEvent, afterChunks: 3 } });
		expect(outcome.message).toMatchObject({
			stopReason: "error",
			failure: { kind: "overloaded", status: 503 },
		});
		expect(textOf(outcome)).toBe(story.slice(0, 18));
	});

	test("a call that is not JSON, and a refusal, end as failures with a reason", async () => {
		const broken = await ask({ answer: { blocks: [{ toolCall: { name: "bash", arguments: '{"a":' } }] } });
		expect(broken.message).toMatchObject({ failure: { kind: "invalid_response" } });
		expect(broken.message.errorMessage).toContain('bash{"a":');
		const refused = await ask({ answer: { blocks: [{ text: "hm" }], stopReason: "refusal" } });
		expect(refused.message).toMatchObject({ failure: { kind: "refusal" }, content: [{ text: "hm" }] });
	});

	test("an answer is sent back unchanged: ids, arguments and signatures", async () => {
		const args = { path: "a", deep: [{ "🙂": null }] };
		const blocks: Answer["blocks"] = [
			{ thinking: "hm", signature: "YQ==" },
			{ toolCall: { name: "read", arguments: args, id: "f1" } },
			{ toolCall: { name: "read", arguments: {} } },
		];
		await using played = await playModel({ steps: [{ answer: { blocks } }, "done"] });
		const model = modelAt(urlOf(played), api, { reasoning: true });
		const { message } = await receive(stream(model, hello, options));
		const results = message.content.flatMap((block) => (block.type === "toolCall" ? [result(block.id)] : []));
		const messages = [...hello.messages, message, ...results, user("go on")];
		expect((await receive(stream(model, { messages }, options))).message.stopReason).toBe("stop");
		const { body } = await played.waitForRequest(2);
		expect(body).toMatchObject({
			contents: [
				{ role: "user" },
				{
					role: "model",
					parts: [
						{ text: "hm", thought: true },
						{ functionCall: { id: "f1", name: "read", args }, thoughtSignature: "YQ==" },
						{ functionCall: { name: "read", args: {} } },
					],
				},
				{ role: "user", parts: [{ functionResponse: { id: "f1" } }, { functionResponse: { name: "read" } }] },
				{ role: "user" },
			],
		});
		expect(JSON.stringify(body).match(/"id"/g)).toHaveLength(2);
	});
});

test("the key is sent in Google's header, to the address of the model", async () => {
	await using played = await playModel({ steps: [], fallback: "hi" });
	for (const [api, urlOf] of places) {
		await receive(stream(modelAt(urlOf(played), api, { id: "gemini-x" }), hello, options));
	}
	expect(played.requests.map(({ path, query, headers }) => [path, query, headers["x-goog-api-key"]])).toEqual(
		[
			["/v1beta/models/gemini-x:streamGenerateContent", "alt=sse", options.apiKey],
			["/v1/publishers/google/models/gemini-x:streamGenerateContent", "alt=sse", options.apiKey],
		],
	);
});

test("Vertex gets the token of gcloud's user, at the address of the project", async () => {
	await using played = await playModel({ steps: ["hi"] });
	await using server = serveTokens();
	await using home = await makeHome();
	await home.write(gcloudFile, userFile(server.url));
	const own = { HOME: home.path, GOOGLE_CLOUD_PROJECT: "p1", GOOGLE_VERTEX_LOCATION: "us-east5" };
	using _env = setEnv({ ...own, GOOGLE_APPLICATION_CREDENTIALS: "", CLOUDSDK_CONFIG: "" });
	const { message } = await receive(stream(modelAt(played.url, "google-vertex"), hello));
	expect(message.content).toEqual([{ type: "text", text: "hi" }]);
	const { path, headers } = await played.waitForRequest(1);
	expect(path).toBe(
		"/v1/projects/p1/locations/us-east5/publishers/google/models/played-1:streamGenerateContent",
	);
	expect(headers.authorization).toBe("Bearer token-1-of-the-test");
});

test("Vertex without credentials gives an answer that says so, and nothing is sent", async () => {
	await using played = await playModel({ steps: [] });
	await using home = await makeHome();
	const none = { GOOGLE_APPLICATION_CREDENTIALS: "", CLOUDSDK_CONFIG: "", GCE_METADATA_HOST: "127.0.0.1:1" };
	using _env = setEnv({ ...none, HOME: home.path });
	const { message } = await receive(stream(modelAt(played.url, "google-vertex"), hello));
	expect(message).toMatchObject({ stopReason: "error", failure: { kind: "auth" } });
	expect(played.requests).toEqual([]);
});
