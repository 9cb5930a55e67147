/** What vendors say of a subscription is read, and a token goes nowhere but to its vendor. */
import { afterAll, beforeAll, expect, test } from "bun:test";

import { fetchQuota } from "./quota.ts";

let answer: (request: Request) => Response = () => new Response("{}");
let server: ReturnType<typeof Bun.serve>;
beforeAll(() => {
	server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(request) });
});
afterAll(() => server.stop(true));

const { signal } = new AbortController();
const ask = (provider: string, token = "t0ken"): ReturnType<typeof fetchQuota> =>
	fetchQuota(provider, token, { signal, url: `http://127.0.0.1:${server.port}/usage` });

test("Anthropic's windows are read; those that a plan does not have are left out", async () => {
	let headers: Headers | undefined;
	answer = (request) => {
		({ headers } = request);
		return Response.json({
			five_hour: { utilization: 61, resets_at: "2026-01-28T07:59:59.571404+00:00" },
			seven_day: { utilization: 22.5, resets_at: null },
			seven_day_opus: null,
			extra_usage: { is_enabled: false },
		});
	};
	expect(await ask("anthropic")).toEqual({
		windows: [
			{ name: "5 hours", usedPercent: 61, resetsAt: Date.parse("2026-01-28T07:59:59.571Z") },
			{ name: "7 days", usedPercent: 22.5 },
		],
	});
	expect(headers?.get("authorization")).toBe("Bearer t0ken");
	expect(headers?.get("anthropic-beta")).toBe("oauth-2025-04-20");
});

test("Codex's windows are named by their length, and the account is that of the token", async () => {
	const claims = { "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } };
	const token = `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.y`;
	const accounts: (string | null)[] = [];
	answer = (request) => {
		accounts.push(request.headers.get("chatgpt-account-id"));
		return Response.json({
			plan_type: "plus",
			rate_limit: {
				primary_window: { used_percent: 6, reset_at: 1_738_300_000, limit_window_seconds: 18_000 },
				secondary_window: { used_percent: 104, reset_at: 1_738_900_000, limit_window_seconds: 604_800 },
			},
		});
	};
	expect(await ask("openai-codex", token)).toEqual({
		plan: "plus",
		windows: [
			{ name: "5 hours", usedPercent: 6, resetsAt: 1_738_300_000_000 },
			{ name: "7 days", usedPercent: 104, resetsAt: 1_738_900_000_000 },
		],
	});
	expect(accounts).toEqual(["acc-1"]);
});

test("Kimi's windows are read, with counts as numbers or strings, from the address that the user has set", async () => {
	const paths: string[] = [];
	answer = (request) => {
		paths.push(new URL(request.url).pathname);
		return Response.json({
			user: { membership: { level: "LEVEL_INTERMEDIATE" } },
			usage: { limit: "1000", remaining: "250", resetTime: "2026-08-04T09:14:42Z" },
			limits: [
				{ window: { duration: 300, timeUnit: "TIME_UNIT_MINUTE" }, detail: { limit: 100, used: 20 } },
				{ window: { duration: 1, timeUnit: "TIME_UNIT_EON" }, detail: { limit: 100, used: 20 } },
				{ window: { duration: 1, timeUnit: "TIME_UNIT_DAY" }, detail: { limit: 0, used: 0 } },
			],
		});
	};
	const env = { KIMI_CODE_BASE_URL: `http://127.0.0.1:${server.port}/coding/v1/` };
	expect(await fetchQuota("kimi-code", "t0ken", { signal, env })).toEqual({
		plan: "intermediate",
		windows: [
			{ name: "5 hours", usedPercent: 20 },
			{ name: "7 days", usedPercent: 75, resetsAt: Date.parse("2026-08-04T09:14:42Z") },
		],
	});
	expect(paths).toEqual(["/coding/v1/usages"]);
});

test.each([
	["a refusal", () => new Response("no", { status: 403 }), "HTTP 403"],
	["something else", () => new Response("<html>"), "the answer is not JSON"],
	["a redirect", () => Response.redirect("http://127.0.0.1:9/elsewhere"), ""],
])("%s is an error", async (_, reply, message) => {
	answer = reply;
	expect(ask("anthropic")).rejects.toThrow(message);
});

test("an answer of another shape has no windows", async () => {
	answer = () => Response.json({ five_hour: "much", rate_limit: [] });
	expect(await ask("anthropic")).toEqual({ windows: [] });
	expect(await ask("openai-codex")).toEqual({ windows: [] });
});
