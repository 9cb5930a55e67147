/** The wait that a provider requests, in all known forms. */
import { expect, test } from "bun:test";

import { resetMs, retryAfterMs, spokenWaitMs, statedWaitMs } from "./retry-after.ts";

const now = Date.parse("2026-01-02T03:04:05Z");

test.each<[headers: Record<string, string>, ms: number | undefined]>([
	[{}, undefined],
	[{ "retry-after": "0" }, 0],
	[{ "retry-after": "30" }, 30_000],
	[{ "retry-after": " 1.5 " }, 1500],
	[{ "retry-after-ms": "250" }, 250],
	[{ "retry-after-ms": "250", "retry-after": "1" }, 250],
	[{ "retry-after-ms": "", "retry-after": "2" }, 2000],
	[{ "retry-after-ms": "soon", "retry-after": "2" }, 2000],
	[{ "retry-after-ms": "-1", "retry-after": "2" }, 2000],
	[{ "retry-after": "1m30.5s" }, 90_500],
	[{ "retry-after": "250ms" }, 250],
	[{ "retry-after": "1h2m3s" }, 3_723_000],
	[{ "retry-after": "Fri, 02 Jan 2026 03:04:35 GMT" }, 30_000],
	[{ "retry-after": "2026-01-02T03:05:05Z" }, 60_000],
	[{ "retry-after": "Fri, 02 Jan 2026 03:00:00 GMT" }, 0],
	[{ "retry-after": "" }, undefined],
	[{ "retry-after": "-1" }, undefined],
	[{ "retry-after": "NaN" }, undefined],
	[{ "retry-after": "Infinity" }, undefined],
	[{ "retry-after": "later" }, undefined],
	[{ "retry-after": "5 apples" }, undefined],
	[{ "retry-after": "s" }, undefined],
])("%j is %p", (headers, ms) => {
	expect(retryAfterMs(new Headers(headers), now)).toBe(ms);
});

test.each<[message: string, ms: number | undefined]>([
	["Rate limit reached for gpt-4o. Limit 30000, Used 29000. Please try again in 1.667s. Visit …", 1667],
	["Please try again in 7m12s. Need more tokens?", 432_000],
	["Please try again in 20ms.", 20],
	["You exceeded your current quota. Please retry in 34.074824224s.", 34_075],
	["Please retry after 26 seconds. Please go here: https://aka.ms/x", 26_000],
	["Try again in 4 days 20 hours 9 minutes.", 418_140_000],
	["Please wait 2 minutes, 5 seconds and ask again.", 125_000],
	["Retry in about 1 hour 5 apples", 3_600_000],
	["Please try again in 1 m", 60_000],
	["Please try again later.", undefined],
	["Try again in a few minutes", undefined],
	["try again in 5 parsecs", undefined],
	["try again in 5 months", undefined],
	["wait 30", undefined],
	["You must wait for 3 dogs", undefined],
	["", undefined],
])("%j says %p", (message, ms) => {
	expect(spokenWaitMs(message)).toBe(ms);
});

test.each<[headers: Record<string, string>, ms: number | undefined]>([
	[{ "x-ratelimit-reset-requests": "1m30s" }, undefined],
	[{ "x-ratelimit-reset-requests": "1m30s", "x-ratelimit-remaining-requests": "1" }, undefined],
	[{ "x-ratelimit-reset-requests": "1m30s", "x-ratelimit-remaining-requests": "0" }, 90_000],
	[{ "x-ratelimit-reset-tokens": "120ms", "x-ratelimit-remaining-tokens": "0" }, 120],
	[{ "x-ratelimit-reset-tokens": "10", "x-ratelimit-remaining-tokens": "0" }, 10_000],
	[{ "x-ratelimit-reset-tokens-minute": "11.38", "x-ratelimit-remaining-tokens-minute": "0" }, 11_380],
	[{ "x-ratelimit-reset": "1767323105", "x-ratelimit-remaining": "0" }, 60_000],
	[{ "x-ratelimit-reset": "1767323105000", "x-ratelimit-remaining": "0" }, 60_000],
	[{ "x-ratelimit-reset": "1000000000", "x-ratelimit-remaining": "0" }, 0],
	[{ "x-ratelimit-reset": "soon", "x-ratelimit-remaining": "0" }, undefined],
	[{ "ratelimit-reset": "5", "ratelimit-remaining": "0" }, 5000],
	[
		{
			"anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2026-01-02T03:04:15Z",
			"anthropic-ratelimit-input-tokens-remaining": "0",
			"anthropic-ratelimit-input-tokens-reset": "2026-01-02T03:04:35Z",
			"anthropic-ratelimit-output-tokens-remaining": "8000",
			"anthropic-ratelimit-output-tokens-reset": "2026-01-02T04:04:35Z",
		},
		30_000,
	],
	[
		{
			"anthropic-ratelimit-unified-status": "rejected",
			"anthropic-ratelimit-unified-reset": "1767323105",
			"anthropic-ratelimit-unified-7d-status": "allowed",
			"anthropic-ratelimit-unified-7d-reset": "1767923105",
		},
		60_000,
	],
	[
		{
			"x-codex-primary-used-percent": "100",
			"x-codex-primary-reset-after-seconds": "13873",
			"x-codex-secondary-used-percent": "80",
			"x-codex-secondary-reset-after-seconds": "316705",
		},
		13_873_000,
	],
])("the limits %j are whole again in %p", (headers, ms) => {
	expect(resetMs(new Headers(headers), now)).toBe(ms);
});

test.each<[error: Record<string, unknown>, ms: number | undefined]>([
	[{}, undefined],
	[{ resets_in_seconds: 600, resets_at: 1 }, 600_000],
	[{ resets_in_seconds: 0 }, 0],
	[{ resets_in_seconds: -5, resets_at: 1767323105 }, 60_000],
	[{ resets_in_seconds: null, resets_at: "2026-01-02T03:05:05Z" }, 60_000],
	[{ resets_at: {} }, undefined],
	[{ details: [{ "@type": "type.googleapis.com/google.rpc.Help" }, { retryDelay: "34.5s" }] }, 34_500],
	[{ details: [{ retryDelay: 34 }, null, "x"] }, undefined],
	[{ details: "retryDelay" }, undefined],
	[{ metadata: { headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1767323105000" } } }, 60_000],
	[{ metadata: { headers: { "not a name": "0", "x-ratelimit-reset": "\n", a: 1 } } }, undefined],
])("an error that states %j asks to wait %p", (error, ms) => {
	expect(statedWaitMs(error, now)).toBe(ms);
});
