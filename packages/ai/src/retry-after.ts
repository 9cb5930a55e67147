/** Reads how long a provider asks us to wait, in all the ways that providers say it. */

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
	const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
	if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
	const value = headers.get("retry-after")?.trim();
	if (!value) return undefined;
	const seconds = Number(value);
	if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
	const spoken = readDuration(value);
	if (spoken !== undefined) return spoken;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `1m30.5s`, `250ms`: the form of OpenAI's reset headers, which proxies copy into `retry-after`. */
function readDuration(value: string): number | undefined {
	if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(value)) return undefined;
	let total = 0;
	for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
		total += Number(amount) * (units[unit ?? ""] ?? 0);
	}
	return total;
}
