/** `tau auth-gateway` in front of a broker: a program without any credential answers with one that is lent. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { client, serveBroker, storeKey } from "./broker.ts";

test("a gateway on a machine without credentials serves models with those of the broker", async () => {
	await using broker = await serveBroker({ before: (tau) => storeKey(tau, "sk-ant-api03-lent") });
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
	gateway.process.kill("SIGTERM");
	await gateway.finished;
}, 60_000);
