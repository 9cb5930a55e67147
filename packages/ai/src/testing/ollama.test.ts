/** The played Ollama answers as the real one does, also in ways that our own decoder never requests. */
import { expect, test } from "bun:test";

import { playModel, type Answer, type Scenario } from "./index.ts";

async function ask(scenario: Scenario, path: string, body?: object): Promise<Response> {
	await using played = await playModel(scenario);
	const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
	const response = await fetch(played.url + path, init);
	return new Response(await response.text(), response);
}

const answer: Answer = {
	blocks: [{ thinking: "hm" }, { text: "hi" }, { toolCall: { name: "ls", arguments: { a: 1 } } }],
	usage: { input: 1, output: 2 },
};
const question = { model: "m", messages: [{ role: "user", content: "hi" }] };

test("an answer that is not streamed is the same in one piece", async () => {
	const response = await ask({ steps: [{ answer }] }, "/api/chat", { ...question, stream: false });
	expect(response.headers.get("content-type")).toBe("application/json");
	expect(await response.json()).toMatchObject({
		model: "m",
		message: {
			role: "assistant",
			content: "hi",
			thinking: "hm",
			tool_calls: [{ function: { name: "ls", arguments: { a: 1 } } }],
		},
		done: true,
		done_reason: "stop",
		prompt_eval_count: 1,
		eval_count: 2,
	});
});

test("an answer is streamed unless the request says otherwise, a line for each chunk", async () => {
	const response = await ask({ steps: [{ answer }] }, "/api/chat", question);
	expect(response.headers.get("content-type")).toBe("application/x-ndjson");
	const lines = (await response.text()).trimEnd().split("\n");
	expect(lines.map((line) => JSON.parse(line).done)).toEqual([false, false, false, true]);
});

test("the models are listed where clients look for them", async () => {
	expect(await (await ask({ steps: [] }, "/api/tags")).json()).toMatchObject({
		models: [{ name: "played-1" }],
	});
});

test.each([
	[{ messages: [] }, "model is required"],
	[{ model: "m", messages: {} }, "cannot unmarshal"],
])("%j is refused", async (body, reason) => {
	const response = await ask({ steps: ["never"] }, "/api/chat", body);
	expect(response.status).toBe(400);
	expect(await response.json()).toEqual({ error: expect.stringContaining(reason) });
});
