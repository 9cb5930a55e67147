/** What is left of subscriptions, by the logins of the user: a vendor that does not answer is left out. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openCredentialStore } from "@tau/config/models";
import { Settings } from "@tau/config/settings";
import { dirs } from "@tau/utils";

import { windowsLeft } from "./windows-left.ts";

test("each login whose vendor answers is asked with its own token; keys and refusals are left out", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-windows-"));
	const before = { ...process.env };
	const tokens: (string | null)[] = [];
	let status = 200;
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request) {
			tokens.push(request.headers.get("authorization"));
			const usage = { limit: "200", used: "50", resetTime: "2026-01-28T08:00:00Z" };
			return Response.json({ usage, user: { membership: { level: "LEVEL_PRO" } } }, { status });
		},
	});
	try {
		Object.assign(process.env, { HOME: home, KIMI_CODE_BASE_URL: `${server.url.origin}/coding/v1` });
		delete process.env.TAU_CODING_AGENT_DIR;
		expect(await windowsLeft()).toEqual([]);
		const { agent: agentDir, profile } = dirs();
		const settings = await Settings.load({ cwd: home, agentDir, profile, home });
		{
			using store = await openCredentialStore({ env: process.env, settings, onNotice: () => {} });
			const expiresAt = Date.now() + 3_600_000;
			await store.add("kimi-code", { kind: "oauth", access: "login-1", refresh: "r", expiresAt });
			await store.add("anthropic", { kind: "api_key", access: "key-1" });
		}
		expect(await windowsLeft()).toEqual([
			{
				provider: "kimi-code",
				plan: "pro",
				name: "7 days",
				usedPercent: 25,
				resetsAt: Date.parse("2026-01-28T08:00:00Z"),
			},
		]);
		expect(tokens).toEqual(["Bearer login-1"]);
		status = 500;
		expect(await windowsLeft()).toEqual([]);
	} finally {
		for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
		Object.assign(process.env, before);
		rmSync(home, { recursive: true, force: true });
	}
});
