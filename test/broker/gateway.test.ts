/** `tau auth-gateway` in front of a broker: a program without any credential answers with one that is lent. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { client, serveBroker, storeKey } from "./broker.ts";

test("a gateway on a machine without credentials serves models with those of the broker, which learns what was spent", async () => {
	await using kimi = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: () =>
			Response.json({ usage: { limit: "100", used: "25", resetTime: "2027-01-01T00:00:00Z" }, limits: [] }),
	});
	await using broker = await serveBroker({
		env: { KIMI_CODE_BASE_URL: `${kimi.url.origin}/coding/v1` },
		before: (tau) => storeKey(tau, "sk-ant-api03-lent"),
	});
	const login = { type: "oauth", access: "lent-access", refresh: "kept", expires: Date.now() + 86_400_000 };
	const added = await broker.ask("/v1/credential", {
		method: "POST",
		body: JSON.stringify({ provider: "kimi-code", credential: login }),
	});
	expect(added.status).toBe(200);
	await using tau = await client();
	const env = { ...broker.clientEnv, ANTHROPIC_BASE_URL: tau.played.anthropicUrl };
	const gateway = tau.start(["auth-gateway", "serve", "--bind", "127.0.0.1:0"], { env });
	await gateway.until(({ err }) => /http:\/\/127\.0\.0\.1:\d+/.test(err));
	const url = /http:\/\/127\.0\.0\.1:\d+/.exec(gateway.output().err)?.[0] ?? "";
	const token = readFileSync(join(tau.home, ".tau/auth-gateway.token"), "utf8").trim();
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const body = {
		model: "anthropic/claude-haiku-4-5",
		max_tokens: 100,
		messages: [{ role: "user", content: "hi" }],
	};
	const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });
	expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("hello")]);
	expect(tau.played.requests[0]?.headers["x-api-key"]).toBe("sk-ant-api03-lent");
	const check = await (await fetch(`${url}/v1/credentials/check`, { headers })).text();
	expect(check).toContain("anthropic");
	expect(check).not.toContain("sk-ant-api03");

	// Its subscriptions, as the broker knows them from their vendors.
	const usage = await fetch(`${url}/v1/usage`, { headers });
	expect(await usage.json()).toMatchObject({
		today: { requests: 1 },
		keys: [],
		subscriptions: [{ provider: "kimi-code", windows: [{ name: "7 days", usedPercent: 25 }] }],
	});
	// Reported after the answer, so that no client waits for it.
	const deadline = Date.now() + 60_000;
	let spent = "";
	while (!spent.includes('"provider":"anthropic"') && Date.now() < deadline) {
		spent = await (await broker.ask("/v1/usage/clients")).text();
		await Bun.sleep(20);
	}
	expect(JSON.parse(spent)).toMatchObject({
		clients: [{ providers: [{ app: "tau", provider: "anthropic", requests: 1 }] }],
	});
	gateway.process.kill("SIGTERM");
	await gateway.finished;
});
