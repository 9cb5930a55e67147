/** `usage.footer`: what all sessions of today cost, or what is left of a subscription, in the footer of every terminal. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { noUsage } from "@tau/ai";
import { openCredentialStore } from "@tau/config/models";
import { Settings } from "@tau/config/settings";
import { UsageLines } from "@tau/stats/lines";

import { launch } from "../support/launch.ts";
import { openTau } from "../interactive/driver.ts";

test("the footer shows what all sessions cost today, also those of others", async () => {
	await using home = await launch({ steps: [] });
	using lines = new UsageLines(join(home.agentDir, "usage"));
	const answer = (dollars: number): void => {
		const usage = { ...noUsage(), cost: { ...noUsage().cost, output: dollars, total: dollars } };
		const who = { session: "other", cwd: "/", kind: "turn", provider: "p", model: "m" };
		lines.append({ at: Date.now(), ...who, usage });
	};
	answer(1.25);
	await using tau = await openTau({ steps: [] }, { home, settings: "usage:\n  footer: today\n" });
	await tau.until("$1.25 today");
	answer(2);
	await tau.until("$3.25 today");
	// The columns of `/stats` stay columns on the screen, and one day has no line of days.
	tau.type("/stats\r");
	await tau.until(/Usage in the last 30d\n +cost {4,}\$3\.25\n +requests {2,}2, 0 % failed/);
	await tau.until("By project");
	expect(tau.screen()).not.toContain("per day");
	tau.type("/exit\r");
	expect(await tau.exited).toBe(0);
});

test("the footer shows what is left of a subscription", async () => {
	await using vendor = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => Response.json({ usage: { limit: "200", used: "50", resetTime: "2026-01-28T08:00:00Z" } }),
	});
	await using home = await launch({ steps: [] });
	{
		const settings = await Settings.load({ cwd: home.home, agentDir: home.agentDir, home: home.home });
		using store = await openCredentialStore({ env: home.env, settings, onNotice() {} });
		const expiresAt = Date.now() + 3_600_000;
		await store.add("kimi-code", { kind: "oauth", access: "login-1", refresh: "r", expiresAt });
	}
	const env = { KIMI_CODE_BASE_URL: `${vendor.url.origin}/coding/v1` };
	await using tau = await openTau({ steps: [] }, { home, env, settings: "usage:\n  footer: window\n" });
	await tau.until("7 days: 75 % left");
});
