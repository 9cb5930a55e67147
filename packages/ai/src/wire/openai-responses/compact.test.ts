/** OpenAI compacts a conversation at an address of its own, and takes its result back in later requests. */
import { expect, test } from "bun:test";
import OpenAI from "openai";

import { modelAt } from "../../testing/asking.ts";
import { playModel } from "../../testing/index.ts";
import { stream } from "../../stream.ts";
import type { Context } from "../../types.ts";
import { answer, text, user } from "../testing/messages.ts";

const context: Context = {
	systemPrompt: "Be brief.",
	tools: [{ name: "look", description: "looks", parameters: { type: "object" } }],
	messages: [user("Never touch a.ts."), answer(text("Noted.")), user("Go on.")],
};

test.each([
	["openai-responses", "/v1", "/v1/responses/compact"],
	["azure-openai-responses", "/openai/v1", "/openai/v1/responses/compact"],
	["openai-codex-responses", "/backend-api", "/backend-api/codex/responses/compact"],
] as const)("%s is asked as the vendor documents it", async (api, base, path) => {
	await using played = await playModel({
		steps: [{ answer: { blocks: [{ text: "secret" }], usage: { input: 900, output: 40 } } }],
	});
	const model = modelAt(played.url + base, api);
	const result = await stream(model, context, { compaction: true, sessionId: "s1" }).result();
	const [request] = played.requests;
	expect(request?.path).toBe(path);
	expect(request?.body).toEqual({
		model: model.id,
		instructions: "Be brief.",
		prompt_cache_key: "s1",
		input: [
			{ type: "message", role: "user", content: [{ type: "input_text", text: "Never touch a.ts." }] },
			{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Noted." }] },
			{ type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
		],
	} satisfies Omit<OpenAI.Responses.ResponseCompactParams, "input"> & { input: unknown });
	expect(result).toMatchObject({ stopReason: "stop", content: [], usage: { input: 900, output: 40 } });
	expect(result.compacted?.items.map(({ type, role }) => role ?? type)).toEqual([
		"user",
		"user",
		"compaction",
	]);
	// The next request begins with what the server returned; another provider only gets the text.
	played.setScenario({ steps: ["Yes.", "No."] });
	const items = result.compacted ?? { provider: "", items: [] };
	const next = { messages: [{ ...user("What follows."), items }] };
	await stream(model, next).result();
	await stream({ ...model, provider: "another" }, next).result();
	const inputs = played.requests.slice(1).map(({ body }) => (body as { input: unknown[] }).input);
	const last = { type: "message", role: "user", content: [{ type: "input_text", text: "What follows." }] };
	expect(inputs).toEqual([[...items.items, last], [last]]);
});

test("the vendor's own client reads what the played model answers", async () => {
	await using played = await playModel({ steps: ["secret"] });
	const client = new OpenAI({ baseURL: played.openaiUrl, apiKey: "k", maxRetries: 0 });
	const compacted = await client.responses.compact({ model: "gpt-5", input: "Hello." });
	expect([compacted.object, compacted.output.at(-1)?.type]).toEqual(["response.compaction", "compaction"]);
});

test("a server that does not know the address is a failure", async () => {
	await using played = await playModel({ steps: [{ fault: { http: 404 } }] });
	const model = modelAt(played.openaiUrl, "openai-responses");
	const result = await stream(model, context, { compaction: true }).result();
	expect([result.stopReason, result.compacted]).toEqual(["error", undefined]);
});
