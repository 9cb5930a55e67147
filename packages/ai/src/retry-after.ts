/** Parses the wait that a provider requests, in all known forms. */
import { isObject, list, object, string, type Json } from "./json.ts";

const second = 1000;
const units: readonly [name: RegExp, ms: number][] = [
	[/^(?:ms|milliseconds?)$/, 1],
	[/^(?:s|secs?|seconds?)$/, second],
	[/^(?:m|mins?|minutes?)$/, 60 * second],
	[/^(?:h|hours?)$/, 3600 * second],
	[/^(?:d|days?)$/, 86_400 * second],
];
/** An amount and a word that may be its unit, several times. */
const amounts = String.raw`(?:\d+(?:\.\d+)?\s?[a-z]+[\s,]*)+`;
const spoken = new RegExp(
	String.raw`\b(?:try again|retry|wait) (?:in |after |for )?(?:about )?(${amounts})`,
	"i",
);
const onlyAmounts = new RegExp(`^${amounts}$`);

/** Numbers from here on are points in time, first in seconds and then in milliseconds; smaller ones are waits. */
const firstEpochSeconds = 1e9;
const firstEpochMs = 1e11;

/** The headers that request a wait. */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
	const milliseconds = readNumber(headers.get("retry-after-ms"));
	if (milliseconds !== undefined) return milliseconds;
	const value = headers.get("retry-after")?.trim();
	if (!value) return undefined;
	const seconds = readNumber(value);
	return seconds === undefined ? readTime(value, now) : seconds * second;
}

/** A limit that a response reports: when it resets, and whether it is used up. */
interface Limit {
	reset: RegExp;
	/** The header with the remaining amount; `$1` is the match of the first pattern. */
	left: string;
	isSpent(left: string): boolean;
}

const limits: readonly Limit[] = [
	// OpenAI and Groq (`1m30s`), Azure and Cerebras (seconds), OpenRouter and GitHub (points in time).
	{ reset: /^x-ratelimit-reset(.*)$/, left: "x-ratelimit-remaining$1", isSpent: isNone },
	{ reset: /^ratelimit-reset$/, left: "ratelimit-remaining", isSpent: isNone },
	{
		reset: /^anthropic-ratelimit-unified(.*)-reset$/,
		left: "anthropic-ratelimit-unified$1-status",
		isSpent: (left) => left === "rejected",
	},
	{ reset: /^anthropic-ratelimit-(.+)-reset$/, left: "anthropic-ratelimit-$1-remaining", isSpent: isNone },
	{
		reset: /^x-codex-(primary|secondary)-reset-after-seconds$/,
		left: "x-codex-$1-used-percent",
		isSpent: (left) => Number(left) >= 100,
	},
];

/** Headers of every answer: they mean a wait only if a limit is used up, and then the longest. */
export function resetMs(headers: Headers, now: number = Date.now()): number | undefined {
	let longest: number | undefined;
	for (const [name, value] of headers) {
		const limit = limits.find(({ reset }) => reset.test(name));
		if (!limit?.isSpent(headers.get(name.replace(limit.reset, limit.left)) ?? "")) continue;
		const wait = readTime(value, now);
		if (wait !== undefined) longest = Math.max(longest ?? 0, wait);
	}
	return longest;
}

/**
 * The wait in an error's body: Codex's `resets_in_seconds`, Google's `RetryInfo`, the headers that OpenRouter quotes.
 */
export function statedWaitMs(error: Json, now: number = Date.now()): number | undefined {
	for (const field of [error.resets_in_seconds, error.resets_at]) {
		const wait = typeof field === "number" ? readTime(String(field), now) : readTime(string(field), now);
		if (wait !== undefined) return wait;
	}
	const info = list(error.details).find((detail) => isObject(detail) && "retryDelay" in detail);
	return readDuration(string(object(info).retryDelay)) ?? resetMs(quotedHeaders(error), now);
}

/** `Please try again in 1.5s`: the only form of some providers, and what gateways keep of the headers. */
export function spokenWaitMs(message: string): number | undefined {
	const duration = spoken.exec(message)?.[1];
	return duration === undefined ? undefined : readDuration(duration);
}

/** A wait or a point in time, in any of their forms. */
function readTime(value: string, now: number): number | undefined {
	const number = readNumber(value);
	if (number !== undefined) {
		if (number < firstEpochSeconds) return number * second;
		return Math.max(0, (number < firstEpochMs ? number * second : number) - now);
	}
	if (onlyAmounts.test(value.trim().toLowerCase())) return readDuration(value);
	// Dates contain letters; without any it is an invalid number, such as -1.
	const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(value: string | null): number | undefined {
	return value !== null && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

/** `1m30.5s`, `250ms`, `4 days 20 hours`; a sentence may continue after it. */
function readDuration(value: string): number | undefined {
	let total: number | undefined;
	for (const [, amount, word = ""] of value.toLowerCase().matchAll(/(\d+(?:\.\d+)?)\s?([a-z]+)/g)) {
		const ms = units.find(([name]) => name.test(word))?.[1];
		if (ms === undefined) break;
		total = (total ?? 0) + Number(amount) * ms;
	}
	return total === undefined ? undefined : Math.ceil(total);
}

function isNone(left: string): boolean {
	return readNumber(left) === 0;
}

function quotedHeaders(error: Json): Headers {
	const headers = new Headers();
	for (const [name, value] of Object.entries(object(object(error.metadata).headers))) {
		// An invalid header name would throw.
		if (/^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(string(value))) headers.set(name, string(value));
	}
	return headers;
}
