/** A provider that accepts a request and goes silent is left, and its client learns of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { serveGateway, type ServedGateway } from "./gateway.ts";

const name = "TAU_STREAM_FIRST_EVENT_TIMEOUT_MS";
const before = process.env[name];
let served: ServedGateway;
beforeAll(async () => {
	// On a busy machine a shorter time passes before the request has left.
	process.env[name] = "1000";
	served = await serveGateway({ steps: [] });
});
afterAll(async () => {
	if (before === undefined) delete process.env[name];
	else process.env[name] = before;
	await served[Symbol.asyncDispose]();
});

function ask(path: string, { url } = served): Promise<Response> {
	const messages = [{ role: "user", content: "hi" }];
	return fetch(url + path, {
		method: "POST",
		headers: { authorization: "Bearer token" },
		body: JSON.stringify({ model: "played-messages", max_tokens: 9, messages, stream: true }),
	});
}

describe("a provider that goes silent", () => {
	test.each(["/v1/messages", "/v1/chat/completions"])("before its answer is given up at %s", async (path) => {
		served.played.setScenario({ steps: [], fallback: { fault: { silent: true } } });
		const number = served.played.requests.length + 1;
		const response = await ask(path);
		expect([response.status, response.headers.get("x-tau-failure")]).toEqual([504, "timeout"]);
		expect(await served.played.waitForEnd(number)).toMatchObject({ aborted: true });
	});

	test("in the middle of its answer ends it with an error", async () => {
		// The same bound holds for the beginning of an answer, which takes its time on a busy machine.
		process.env[name] = "2000";
		await using patient = await serveGateway({
			steps: [],
			fallback: {
				answer: { blocks: [{ text: "Hello world, this is long", chunks: 6 }] },
				fault: { pauseMs: 60_000, afterChunks: 2 },
			},
		});
		const text = await (await ask("/v1/messages", patient)).text();
		expect(text).toMatch(/event: error\ndata: .*"timeout_error"/);
		expect(await patient.played.waitForEnd(1)).toMatchObject({ aborted: true });
	});
});
