/** Classifies a provider's failure: the only code that inspects statuses and error texts. */
import { cutUnits, maskSecrets, oneLine } from "@tau/utils/portable";

import { readError, type ErrorText } from "./error-body.ts";
import { limits } from "./limits.ts";
import { resetMs, retryAfterMs, spokenWaitMs } from "./retry-after.ts";
import type { Failure, FailureKind } from "./types.ts";

/** A provider's refusal, in any shape. */
interface ErrorFacts {
	status?: number;
	headers?: Headers;
	/** The parsed body or error event, or its raw text. */
	body?: unknown;
}

export function failure(
	kind: FailureKind,
	message: string,
	more: Omit<Failure, "kind" | "message"> = {},
): Failure {
	// A server may quote megabytes, and the search for secrets reads all of its input.
	const start = cutUnits(message, limits.errorBodyBytes);
	return { kind, message: oneLine(maskSecrets(start), limits.errorMessageChars), ...more };
}

interface Rule {
	kind: FailureKind;
	status?: readonly number[];
	/** Parts of the error's type, code or state, in any notation: as_words, AsWords or AS_WORDS. */
	code?: readonly string[];
	/** Matched against the message; only for providers without codes of their own. */
	text?: readonly RegExp[];
}

// The first matching rule decides; a rule with several conditions needs one of them. Rules before the statuses apply
// to several of them: overflow as 400, 413, 422 or 500, a wrong key as 400, 401 or 403.
const rules: readonly Rule[] = [
	{
		kind: "overflow",
		code: [
			"context length exceeded",
			"context window exceeded",
			"exceed context size",
			"prompt tokens exceeded",
			"request too large",
		],
		text: [
			/(?:prompt|input) is too long/i,
			/context ?(?:length|limit|size|window)/i,
			/maximum prompt length/i,
			/too many tokens in/i,
			/token count.{0,40}exceeds/i,
			/exceeds the (?:max|limit).{0,40}tokens/i,
			/exceeded model token limit/i,
			/range of input length/i,
			/request too large for/i,
		],
	},
	{
		kind: "refusal",
		code: ["content filter", "content policy", "safety", "refusal"],
		text: [/flagged (?:as|by|for)/i, /content management policy/i],
	},
	{
		// An account without credit is included: waiting does not help, its owner has to act.
		kind: "auth",
		status: [402],
		code: [
			"authentication",
			"unauthenticated",
			"api key",
			"permission",
			"access denied",
			"expired token",
			"invalid grant",
			"invalid signature",
			"unrecognized client",
			"billing",
			"budget exceeded",
			"insufficient quota",
			"usage not included",
		],
		text: [
			/(?:incorrect|invalid) (?:x-)?api[ -]key/i,
			/api key not valid/i,
			/no auth credentials/i,
			/credit balance/i,
			/insufficient (?:balance|credits)/i,
		],
	},
	{
		kind: "overloaded",
		status: [498, 503, 529],
		code: ["overloaded", "slow down", "unavailable", "not ready", "model error", "model stream error"],
		text: [/\boverloaded\b/i],
	},
	{
		kind: "rate_limit",
		status: [429],
		code: [
			"rate limit",
			"usage limit",
			"quota exceeded",
			"resource exhausted",
			"throttl",
			"too many requests",
		],
		text: [/rate limit/i],
	},
	{
		kind: "foreign_content",
		code: ["invalid encrypted content"],
		text: [/encrypted content.{0,300}could not be (?:verified|decrypted)/i],
	},
	{ kind: "auth", status: [401, 403] },
	{ kind: "overflow", status: [413] },
	{ kind: "timeout", status: [408, 504], code: ["timeout", "deadline exceeded"] },
	{
		kind: "invalid_request",
		status: [400, 404, 405, 409, 415, 422],
		code: ["invalid argument", "invalid request", "bad request", "not found", "validation"],
	},
	{ kind: "overloaded", code: ["api error", "server error", "internal"] },
];

export function classify({ status: value, headers = new Headers(), body }: ErrorFacts): Failure {
	const details = readError(body);
	// Gateways report an error with status 200, or in the middle of a stream, and put the status into the body.
	const status = value === undefined || value < 400 ? (details.status ?? value) : value;
	// Amazon names its errors only here.
	const shape = headers.get("x-amzn-errortype")?.replace(/:.*$/, "");
	const codes = shape ? [...details.codes, shape] : details.codes;
	const kind = kindOf({ ...details, codes }, status);
	const wait = waitMs(kind, details, headers);
	return failure(kind, describe({ ...details, codes }, status), {
		...(status === undefined ? {} : { status }),
		...(wait === undefined ? {} : { retryAfterMs: Math.min(wait, limits.retryAfterMs) }),
	});
}

/** The most specific source wins; the reset of a limit matters only if that limit was exceeded. */
function waitMs(
	kind: FailureKind,
	{ message, waitMs: stated }: ErrorText,
	headers: Headers,
): number | undefined {
	const requested = retryAfterMs(headers) ?? stated ?? spokenWaitMs(message);
	return requested ?? (kind === "rate_limit" ? resetMs(headers) : undefined);
}

function kindOf({ codes, message }: ErrorText, status = 0): FailureKind {
	const words = codes.map(bare);
	const rule = rules.find(
		(each) =>
			each.status?.includes(status) ||
			each.code?.some((part) => words.some((code) => code.includes(bare(part)))) ||
			each.text?.some((pattern) => pattern.test(message)),
	);
	if (rule) return rule.kind;
	if (status >= 500) return "overloaded";
	return status >= 400 ? "invalid_request" : "unknown";
}

function bare(code: string): string {
	return code.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function describe({ message, codes }: ErrorText, status: number | undefined): string {
	const text = message || codes[0] || "no reason given";
	return status === undefined ? text : `HTTP ${status}: ${text}`;
}
