/** What a key used is counted where no counts arrive: when a client leaves, and when a provider sends none. */
import { Keys, readRights, SqliteLedger } from "@tau/gateway";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { protocols, serveGateway, type Protocol, type ServedGateway } from "./gateway.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-gateway-counted-"));
const text = "word ".repeat(400);
let served: ServedGateway;
let ledger: SqliteLedger;
let keys: Keys;
beforeAll(async () => {
	ledger = new SqliteLedger(join(directory, "keys.db"));
	keys = new Keys(ledger);
	const answer = { blocks: [{ text, chunks: 100 }], usage: { input: 1000, output: 400 }, delayMs: 1 };
	served = await serveGateway({ steps: [], fallback: { answer, times: "always" } }, { ledger });
});
afterAll(async () => {
	await served[Symbol.asyncDispose]();
	await ledger[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true });
});

const user = { role: "user", content: "hi ".repeat(1000) };
const requests: Readonly<Record<Protocol, (model: string) => [path: string, body: object]>> = {
	messages: (model) => ["/v1/messages", { model, stream: true, max_tokens: 999, messages: [user] }],
	completions: (model) => ["/v1/chat/completions", { model, stream: true, messages: [user] }],
	responses: (model) => ["/v1/responses", { model, stream: true, input: [user] }],
	google: (model) => [
		`/v1beta/models/${model}:streamGenerateContent?alt=sse`,
		{ contents: [{ role: "user", parts: [{ text: user.content }] }] },
	],
};

async function ask(client: Protocol, provider: Protocol, key: string, signal?: AbortSignal) {
	const [path, body] = requests[client](`played-${provider}`);
	const headers = { authorization: `Bearer ${key}` };
	const init = { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) };
	const response = await fetch(served.url + path, init);
	expect(response.status).toBe(200);
	return response;
}

async function active(): Promise<string | undefined> {
	const metrics = await fetch(`${served.url}/metrics`, { headers: { "x-api-key": "token" } });
	return /^tau_gateway_active (.*)$/m.exec(await metrics.text())?.[1];
}

describe.each(protocols.map((each) => [each]))("a client of %s that leaves", (client) => {
	test.each(protocols.map((each) => [each]))("pays for what a model of %s wrote", async (provider) => {
		const { key, row } = await keys.create(readRights({ budget: "1/day" }));
		const leaving = new AbortController();
		const response = await ask(client, provider, key, leaving.signal);
		const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
		for (let words = 0; words < 200;) {
			const { value = "", done } = (await reader?.read()) ?? { done: true };
			expect(done).toBe(false);
			words += value.split("word").length - 1;
		}
		leaving.abort();
		while ((await active()) !== "0") await Bun.sleep(1);
		const { today } = await keys.usage(row.id);
		expect(today.output).toBeGreaterThan(200);
		expect(today.input).toBeGreaterThan(700);
		expect(today.cost).toBeGreaterThan(0.004);
		// Nothing of its budget is held any more.
		await (await ask(client, provider, key)).text();
	});
});

test("a stream whose client did not ask for counts is counted", async () => {
	const { key, row } = await keys.create(readRights({ budget: "1/day" }));
	const answer = await (await ask("completions", "completions", key)).text();
	expect(answer).not.toContain('"usage":{');
	const { today } = await keys.usage(row.id);
	expect(today.output).toBe(text.length / 4);
	expect(today.input).toBeGreaterThan(700);
});

test("counts that arrive are not changed", async () => {
	const { key, row } = await keys.create(readRights({ budget: "1/day" }));
	for (const provider of protocols) await (await ask("messages", provider, key)).text();
	expect((await keys.usage(row.id)).today).toMatchObject({ input: 4000, output: 1600 });
});
