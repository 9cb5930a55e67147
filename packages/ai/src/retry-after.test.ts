/** How long a provider asks us to wait, in all the ways that providers say it. */
import { expect, test } from "bun:test";

import { retryAfterMs, spokenWaitMs } from "./retry-after.ts";

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
	["Please try again later.", undefined],
	["Try again in a few minutes", undefined],
	["try again in 5 parsecs", undefined],
	["", undefined],
])("%j says %p", (message, ms) => {
	expect(spokenWaitMs(message)).toBe(ms);
});
