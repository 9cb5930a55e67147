/** Which of several models a name is for. */
import { Keys, readRights, SqliteLedger } from "@tau/gateway";
import { playModel, type PlayedModel } from "@tau/ai/testing";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { serveGateway, servedModel, type ServedGateway } from "./gateway.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-gateway-names-"));
let played: PlayedModel;
let ledger: SqliteLedger;
let served: ServedGateway;
beforeAll(async () => {
	played = await playModel({ steps: [], fallback: "ok" });
	ledger = new SqliteLedger(join(directory, "keys.db"));
	const shared = { id: "shared" };
	const models = [
		servedModel(played, "completions", shared),
		servedModel(played, "messages", { ...shared, provider: "first" }),
		servedModel(played, "messages", { ...shared, provider: "second" }),
		// An id that is the name of another one.
		servedModel(played, "messages", { id: "second/shared", provider: "router" }),
	];
	served = await serveGateway({ steps: [] }, { played, models, ledger });
});
afterAll(async () => {
	await served[Symbol.asyncDispose]();
	await ledger[Symbol.asyncDispose]();
	await played.close();
	rmSync(directory, { recursive: true });
});

/** The provider that answered, as the counters name it. */
async function answering(model: string, allowed?: string, path = "/v1/messages"): Promise<string | number> {
	const keys = new Keys(ledger);
	const key = allowed === undefined ? "token" : (await keys.create(readRights({ models: allowed }))).key;
	const before = await counters();
	const response = await fetch(served.url + path, {
		method: "POST",
		headers: { "x-api-key": key },
		body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "hi" }] }),
	});
	await response.text();
	const after = await counters();
	const changed = [...after].find(([name, count]) => before.get(name) !== count);
	return changed?.[0] ?? response.status;
}

async function counters(): Promise<Map<string, string>> {
	const text = await (await fetch(`${served.url}/metrics`, { headers: { "x-api-key": "token" } })).text();
	const counts = text.matchAll(/^tau_gateway_requests_total\{model="([^"]+)",outcome="ok"\} (\d+)$/gm);
	return new Map([...counts].map(([, name = "", count = ""]) => [name, count]));
}

test("an id alone goes to a provider of the client's own protocol, and to the first of them", async () => {
	expect(await answering("shared")).toBe("first/shared");
	expect(await answering("shared", undefined, "/v1/chat/completions")).toBe("completions/shared");
});

test("provider/id is exactly that one, before an id with a slash", async () => {
	expect(await answering("second/shared")).toBe("second/shared");
	expect(await answering("router/second/shared")).toBe("router/second/shared");
});

test("an id alone goes to a provider that the key may use", async () => {
	expect(await answering("shared", "second/*")).toBe("second/shared");
	expect(await answering("shared", "completions/*")).toBe("completions/shared");
	expect(await answering("shared", "nobody/*")).toBe(403);
});
