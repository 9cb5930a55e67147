/** Tells what kind of failure a provider's answer is: the one place that looks at statuses and error texts. */
import { cutUnits, maskSecrets, oneLine } from "@tau/utils";

import { isObject, list, object, string } from "./json.ts";
import { limits } from "./limits.ts";
import { retryAfterMs, spokenWaitMs } from "./retry-after.ts";
import type { Failure, FailureKind } from "./types.ts";

/** What a provider said when it refused, in whatever shape it said it. */
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
	// What a server quotes may be megabytes, and the search for secrets reads all it gets.
	const start = cutUnits(message, limits.errorBodyBytes);
	return { kind, message: oneLine(maskSecrets(start), limits.errorMessageChars), ...more };
}

interface Rule {
	kind: FailureKind;
	status?: readonly number[];
	/** Matched against the error's type, code and status words. */
	code?: RegExp;
	/** Matched against the message; only where providers give no code of their own. */
	text?: RegExp;
}

// The first rule that matches decides; a rule with several conditions needs one of them. What stands before the
// statuses comes under several of them: overflow as 400, 413, 422 or 500, a wrong key as 400, 401 or 403.
const rules: readonly Rule[] = [
	{
		kind: "overflow",
		code: /context_length_exceeded|context_window_exceeded|exceed_context_size|prompt_tokens_exceeded|request_too_large/i,
		text: /(?:prompt|input) is too long|context ?(?:length|limit|size|window)|maximum prompt length|too many tokens in|token count.{0,40}exceeds|exceeds the (?:max|limit).{0,40}tokens|exceeded model token limit|range of input length|request too large for/i,
	},
	{
		kind: "refusal",
		code: /content_filter|content_policy|safety|refusal/i,
		text: /flagged (?:as|by|for)|content management policy/i,
	},
	{
		// An account without credit is one of these: waiting does not help, its owner has to act.
		kind: "auth",
		code: /authentication|api_key|permission_|unauthenticated|invalid_grant|billing|budget_exceeded|insufficient_quota/i,
		text: /(?:incorrect|invalid) (?:x-)?api[ -]key|api key not valid|no auth credentials|credit balance|insufficient (?:balance|credits)/i,
	},
	{
		kind: "overloaded",
		code: /overloaded|slow_down|unavailable/i,
		status: [498, 503, 529],
		text: /\boverloaded\b/i,
	},
	{
		kind: "rate_limit",
		code: /rate_?limit|resource_exhausted|quota_exceeded|throttl|too_many_requests/i,
		status: [429],
		text: /rate limit/i,
	},
	{ kind: "auth", status: [401, 402, 403] },
	{ kind: "overflow", status: [413] },
	{ kind: "timeout", status: [408, 504], code: /timeout|deadline_exceeded/i },
	{
		kind: "invalid_request",
		code: /invalid_(?:argument|request)|bad_?request|not_?found/i,
		status: [400, 404, 405, 409, 415, 422],
	},
	{ kind: "overloaded", code: /^(?:api_error|server_error|internal)/i },
];

export function classify({ status: given, headers, body }: ErrorFacts): Failure {
	const said = readError(body);
	// Gateways report an error with status 200, or in the middle of a stream, and put the status into the body.
	const status = given === undefined || given < 400 ? (said.status ?? given) : given;
	const wait = (headers && retryAfterMs(headers)) ?? spokenWaitMs(said.message);
	return failure(kindOf(said, status), describe(said, status), {
		...(status === undefined ? {} : { status }),
		...(wait === undefined ? {} : { retryAfterMs: Math.min(wait, limits.retryAfterMs) }),
	});
}

function kindOf({ codes, message }: Said, status = 0): FailureKind {
	const rule = rules.find(
		(each) =>
			each.status?.includes(status) ||
			codes.some((code) => each.code?.test(code)) ||
			each.text?.test(message),
	);
	if (rule) return rule.kind;
	if (status >= 500) return "overloaded";
	return status >= 400 ? "invalid_request" : "unknown";
}

function describe({ message, codes }: Said, status: number | undefined): string {
	const text = message || codes[0] || "no reason given";
	return status === undefined ? text : `HTTP ${status}: ${text}`;
}

interface Said {
	message: string;
	codes: string[];
	/** The HTTP status, where the body repeats it or stands for it. */
	status?: number;
}

/** Vendors nest differently: `{error:{type,message}}`, `{error:"…"}`, `{detail:[{msg}]}`, `[{error}]`, plain text. */
function readError(body: unknown): Said {
	if (typeof body === "string") return readText(body);
	if (Array.isArray(body)) return readError(body[0]);
	if (!isObject(body)) return { message: "", codes: [] };
	const inner = [body.error, body.errors, body.detail].find(
		(value) => isObject(value) || list(value).length > 0,
	);
	if (inner !== undefined) return readError(inner);
	// OpenRouter says only that a provider failed, and quotes in `raw` what that one said.
	const quoted = readError(object(body.metadata).raw);
	const message =
		[body.message, body.error, body.detail, body.msg].map(string).find((text) => text !== "") ?? "";
	const status = [body.code, body.status].map(statusOf).find((code) => code !== undefined) ?? quoted.status;
	return {
		message: cutUnits([message, quoted.message].filter(Boolean).join(": "), limits.errorBodyBytes),
		codes: [...[body.type, body.code, body.status, body.error].map(string).filter(isCode), ...quoted.codes],
		...(status === undefined ? {} : { status }),
	};
}

/** Some write the status as a number, some as its digits. */
function statusOf(code: unknown): number | undefined {
	const status = typeof code === "string" ? Number(code) : code;
	return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

/** What has spaces is a sentence, and words in a sentence prove nothing. */
function isCode(text: string): boolean {
	return /^\S+$/.test(text);
}

function readText(text: string): Said {
	try {
		const parsed: unknown = JSON.parse(text);
		if (typeof parsed === "object" && parsed !== null) return readError(parsed);
	} catch {
		// Not JSON: a proxy's HTML page or plain text, shown as it is.
	}
	const title = /^\s*</.test(text) ? /<title[^>]{0,99}>([^<]{1,999})/i.exec(text)?.[1] : undefined;
	return { message: (title ?? text).trim(), codes: [] };
}
