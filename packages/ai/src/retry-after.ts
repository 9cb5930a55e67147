/** Reads how long a provider asks us to wait, in all the ways that providers say it. */

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
	const milliseconds = readNumber(headers.get("retry-after-ms"));
	if (milliseconds !== undefined) return milliseconds;
	const value = headers.get("retry-after")?.trim();
	if (!value) return undefined;
	const seconds = readNumber(value);
	if (seconds !== undefined) return seconds * 1000;
	const spoken = readDuration(value);
	if (spoken !== undefined) return spoken;
	// Dates have words in them; without any it is a number that was no wait, such as -1.
	const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `Please try again in 1.5s`: the only place where some say it, and what gateways keep of the headers. */
export function spokenWaitMs(message: string): number | undefined {
	const said = /\b(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)\b/i.exec(message)?.[1];
	return said === undefined ? undefined : readDuration(said);
}

function readNumber(value: string | null): number | undefined {
	return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** `1m30.5s`, `250ms`: the form of OpenAI's reset headers, which proxies copy into `retry-after`. */
function readDuration(value: string): number | undefined {
	if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(value)) return undefined;
	let total = 0;
	for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
		total += Number(amount) * (units[unit ?? ""] ?? 0);
	}
	return Math.ceil(total);
}
