/** Google's official SDK receives what the played model sends, streaming or not, on both of its platforms. */
import { ApiError, GoogleGenAI, type GenerateContentResponse, type Part } from "@google/genai";
import { playModel, type Answer, type Block, type Scenario } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";
import { letters, promiseBrokenEvents, promiseTornFailure, type Listener } from "./broken-streams.ts";
import { catchFrom, international, nested } from "./samples.ts";

const question = { model: "gemini-played", contents: "hi" };

const platforms = [
	["google-generative-ai", false],
	["google-vertex", true],
] as const;

async function connect(scenario: Scenario, vertexai = false) {
	const played = await playModel(scenario);
	const client = new GoogleGenAI({ vertexai, apiKey: "key", httpOptions: { baseUrl: played.url } });
	return {
		played,
		client,
		streamed: async () => Array.fromAsync(await client.models.generateContentStream(question)),
		whole: () => client.models.generateContent(question),
		[Symbol.asyncDispose]: () => played.close(),
	};
}

function partsOf(response: GenerateContentResponse): Part[] {
	return response.candidates?.[0]?.content?.parts ?? [];
}

/** The concatenated text; a signature on its own belongs to the part before it. */
function joined(parts: readonly Part[]): Part[] {
	const out: Part[] = [];
	for (const part of parts) {
		const last = out.at(-1);
		const { text, thoughtSignature } = part;
		const isSame = last?.thought === part.thought || text === "";
		if (last?.text !== undefined && text !== undefined && isSame) {
			last.text += text;
			if (thoughtSignature) last.thoughtSignature = thoughtSignature;
		} else if (text !== "" || thoughtSignature) out.push({ ...part });
	}
	return out;
}

/** Streaming and not streaming must return the same message. */
async function receive(answer: Answer, vertexai = false) {
	await using sdk = await connect({ steps: [{ answer: { id: "fixed", ...answer }, times: 2 }] }, vertexai);
	const chunks = await sdk.streamed();
	const last = chunks.at(-1);
	const whole = await sdk.whole();
	const parts = joined(chunks.flatMap(partsOf));
	expect(joined(partsOf(whole))).toEqual(parts);
	expect(whole.candidates?.[0]?.finishReason).toBe(last?.candidates?.[0]?.finishReason);
	expect(whole.usageMetadata).toEqual(last?.usageMetadata ?? {});
	expect(new Set(chunks.map((chunk) => chunk.responseId))).toEqual(new Set([whole.responseId]));
	return { parts, chunks, whole, finish: last?.candidates?.[0]?.finishReason };
}

describe.each(platforms)("%s", (api, vertexai) => {
	test.each([1, 3, 40])("a text of many scripts in %d chunks is received whole", async (count) => {
		const { parts, chunks, whole, finish } = await receive(
			{ blocks: [{ text: international, chunks: count }] },
			vertexai,
		);
		expect(parts).toEqual([{ text: international }]);
		expect(chunks).toHaveLength(count + 1);
		expect(whole).toMatchObject({ modelVersion: "gemini-played", responseId: "fixed" });
		expect(finish as string).toBe("STOP");
	});

	test("the model in the URL is the one that is played, and the step is chosen by the protocol", async () => {
		await using sdk = await connect({ steps: [{ when: { protocol: api }, answer: "yes" }] }, vertexai);
		expect((await sdk.whole()).modelVersion).toBe("gemini-played");
		expect(sdk.played.requests).toMatchObject([{ protocol: api, headers: { "x-goog-api-key": "key" } }]);
	});

	test.each([
		[{ http: 400 }, "INVALID_ARGUMENT"],
		[{ http: 401 }, "UNAUTHENTICATED"],
		[{ http: 403 }, "PERMISSION_DENIED"],
		[{ http: 404 }, "NOT_FOUND"],
		[{ http: 413 }, "INVALID_ARGUMENT"],
		[{ http: 429 }, "RESOURCE_EXHAUSTED"],
		[{ http: 500 }, "INTERNAL"],
		[{ http: 503 }, "UNAVAILABLE"],
		[{ http: 529 }, "UNAVAILABLE"],
		[{ overflow: true }, "INVALID_ARGUMENT"],
	] as const)("the fault %j arrives as the vendor's own error", async (fault, status) => {
		await using sdk = await connect({ steps: [{ fault, times: 2 }] }, vertexai);
		for (const error of [await catchFrom(sdk.streamed()), await catchFrom(sdk.whole())]) {
			if (!(error instanceof ApiError)) throw error;
			const code = "http" in fault ? fault.http : 400;
			expect(error.status).toBe(code);
			expect(JSON.parse(error.message)).toMatchObject({
				error: { code, status, message: expect.any(String) },
			});
		}
	});
});

test("thoughts are marked, and signed on the part that follows them", async () => {
	const blocks: Block[] = [
		{ thinking: "let me see 🤔", signature: "YQ==", chunks: 5 },
		{ text: "so", chunks: 2 },
		{ redactedThinking: "Yg==" },
		{ toolCall: { name: "bash", arguments: nested, id: "f1" } },
		{ toolCall: { name: "list", arguments: {} } },
		{ thinking: "and", signature: "Yw==" },
	];
	const { parts, finish } = await receive({ blocks });
	expect(parts).toEqual([
		{ text: "let me see 🤔", thought: true },
		{ text: "so", thoughtSignature: "YQ==" },
		{ functionCall: { name: "bash", args: nested, id: "f1" }, thoughtSignature: "Yg==" },
		{ functionCall: { name: "list", args: {} } },
		{ text: "and", thought: true, thoughtSignature: "Yw==" },
	]);
	expect(finish as string).toBe("STOP");
});

test("a call arrives whole; one that is not JSON does not, and the end says so", async () => {
	const whole = await receive({ blocks: [{ toolCall: { name: "bash", arguments: '{"a":1}' }, chunks: 9 }] });
	expect(whole.parts).toEqual([{ functionCall: { name: "bash", args: { a: 1 } } }]);
	expect(whole.chunks).toHaveLength(2);
	const blocks: Block[] = [{ text: "hi" }, { toolCall: { name: "bash", arguments: '{"a":' } }];
	const broken = await receive({ blocks }, true);
	expect(broken.parts).toEqual([{ text: "hi" }]);
	expect(broken.whole.candidates?.[0]).toMatchObject({
		finishReason: "MALFORMED_FUNCTION_CALL",
		finishMessage: expect.stringContaining('bash{"a":'),
	});
});

test("usage counts cached tokens as part of the prompt and thinking separately", async () => {
	const usage = { input: 11, output: 22, cacheRead: 33, cacheWrite: 0 };
	const { whole } = await receive({ blocks: [{ thinking: "12345678" }, { text: "hi" }], usage });
	expect(whole.usageMetadata).toMatchObject({
		promptTokenCount: 44,
		cachedContentTokenCount: 33,
		candidatesTokenCount: 20,
		thoughtsTokenCount: 2,
		totalTokenCount: 66,
	});
});

test.each([
	["stop", "STOP"],
	["length", "MAX_TOKENS"],
	["toolUse", "STOP"],
	["refusal", "SAFETY"],
] as const)("the stop reason %s arrives as %s", async (stopReason, received) => {
	const { finish, whole } = await receive({
		blocks: [{ text: "hi" }],
		stopReason,
		model: "another",
		id: "given",
	});
	expect(finish as string).toBe(received);
	expect(whole).toMatchObject({ modelVersion: "another", responseId: "given" });
});

test("a rate limit says how long to wait, in its message and in its details", async () => {
	await using sdk = await connect({ steps: [{ fault: { http: 429, retryAfter: 7 } }] });
	const error = await catchFrom(sdk.whole());
	if (!(error instanceof ApiError)) throw error;
	const { message, details } = JSON.parse(error.message).error;
	expect(message).toEndWith("Please retry in 7s.");
	expect(details).toContainEqual({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" });
});

const listener: Listener<Awaited<ReturnType<typeof connect>>> = {
	connect,
	async listen(sdk, say) {
		for await (const chunk of await sdk.client.models.generateContentStream(question)) {
			for (const { text = "" } of partsOf(chunk)) say(text);
		}
	},
};

promiseTornFailure(listener, 700);
promiseBrokenEvents(listener, {
	errorEvent: { type: "UNAVAILABLE", message: "The model is overloaded." },
	error: { type: ApiError, fields: { status: 503 } },
});

test("an error without streaming arrives as its status", async () => {
	const errorEvent = { type: "INTERNAL", message: "boom" };
	await using sdk = await connect({ steps: [{ answer: letters, fault: { errorEvent, afterChunks: 1 } }] });
	expect(await catchFrom(sdk.whole())).toMatchObject({
		status: 500,
		message: expect.stringContaining("boom"),
	});
});

test("a truncated stream has all of the text and no finish reason", async () => {
	await using sdk = await connect({ steps: [{ answer: letters, fault: { truncated: true } }] });
	const chunks = await sdk.streamed();
	expect(joined(chunks.flatMap(partsOf))).toEqual([{ text: "abcdef" }]);
	expect(chunks.every((chunk) => chunk.candidates?.[0]?.finishReason === undefined)).toBe(true);
});

test("a pause only delays the rest", async () => {
	await using sdk = await connect({
		steps: [{ answer: letters, fault: { pauseMs: 5, afterChunks: 3 }, times: 2 }],
	});
	expect(joined((await sdk.streamed()).flatMap(partsOf))).toEqual([{ text: "abcdef" }]);
	expect(partsOf(await sdk.whole())).toEqual([{ text: "abcdef" }]);
});

test("a silent model causes a timeout", async () => {
	await using sdk = await connect({ steps: [{ fault: { silent: true } }] });
	const asked = sdk.client.models.generateContent({ ...question, config: { httpOptions: { timeout: 50 } } });
	expect(await catchFrom(asked)).toBeInstanceOf(Error);
	expect(await sdk.played.waitForEnd(1)).toMatchObject({ aborted: true });
});

test("a call that the vendor would reject is rejected, and uses no step", async () => {
	await using sdk = await connect({ steps: [{ answer: "hello" }] });
	const { googleUrl } = sdk.played;
	const post = async (method: string, body: string) => {
		const response = await fetch(`${googleUrl}/models/m:${method}`, { method: "POST", body });
		return `${response.status} ${await response.text()}`;
	};
	const contents = '"contents":[{"parts":[{"text":"hi"}]}]';
	expect(await post("generateContent", "{")).toMatch(/^400 .*Invalid JSON payload/);
	expect(await post("generateContent", "{}")).toMatch(/^400 .*contents is not specified/);
	expect(await post("generateContent", `{${contents},"messages":[]}`)).toMatch(
		/^400 .*Unknown name ."messages/,
	);
	expect(await post("streamGenerateContent", `{${contents}}`)).toMatch(/^400 .*alt=sse/);
	expect(partsOf(await sdk.whole())).toEqual([{ text: "hello" }]);
});

test("the models are listed", async () => {
	await using sdk = await connect({ steps: [] });
	const names: (string | undefined)[] = [];
	for await (const model of await sdk.client.models.list()) names.push(model.name);
	expect(names).toEqual(["models/played-1"]);
});
