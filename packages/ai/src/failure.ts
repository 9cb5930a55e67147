/** Tells what kind of failure a provider's answer is: the one place that looks at statuses and error texts. */
import { maskSecrets, oneLine } from "@tau/utils";

import { limits } from "./limits.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { Failure, FailureKind } from "./types.ts";

/** What a provider said when it refused, in whatever shape it said it. */
export interface ErrorFacts {
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
	return { kind, message: oneLine(maskSecrets(message), limits.errorMessageChars), ...more };
}

interface Rule {
	kind: FailureKind;
	status?: readonly number[];
	/** Matched against the error's type, code and status words. */
	code?: RegExp;
	/** Matched against the message; only where providers give no code of their own. */
	text?: RegExp;
}

// The first rule that matches decides; a rule with several conditions needs one of them.
// Overflow stands before the statuses because providers send it as 400, 413, 422 or 500.
const rules: readonly Rule[] = [
	{
		kind: "overflow",
		code: /context_length_exceeded|request_too_large|model_context_window_exceeded/i,
		text: /prompt is too long|maximum context length|context window|too many tokens in|exceeds the (?:max|limit).{0,40}tokens|input is too long/i,
	},
	{
		kind: "auth",
		code: /authentication_error|invalid_api_key|permission_error|unauthenticated|invalid_grant/i,
	},
	{
		kind: "overloaded",
		code: /overloaded(?:_error)?|server_is_overloaded|slow_down|unavailable/i,
		status: [503, 529],
	},
	{
		kind: "rate_limit",
		code: /rate_limit|insufficient_quota|resource_exhausted|quota_exceeded/i,
		status: [429],
	},
	{ kind: "auth", status: [401, 403], text: /invalid api key|incorrect api key|no auth credentials/i },
	{ kind: "refusal", code: /content_filter|content_policy|safety|refusal/i },
	{ kind: "overflow", status: [413] },
	{ kind: "timeout", status: [408, 504], code: /timeout|deadline_exceeded/i },
	{ kind: "invalid_request", status: [400, 404, 405, 409, 415, 422], code: /invalid_request|not_found/i },
	{
		kind: "overloaded",
		status: [500, 502, 520, 521, 522, 523, 524],
		code: /^(?:api_error|server_error|internal)/i,
	},
];

export function classify(facts: ErrorFacts): Failure {
	const said = readError(facts.body);
	const rule = rules.find(
		(r) =>
			(facts.status !== undefined && r.status?.includes(facts.status)) ||
			said.codes.some((code) => r.code?.test(code)) ||
			(said.message !== "" && r.text?.test(said.message)),
	);
	const kind = rule?.kind ?? "unknown";
	const wait = facts.headers ? retryAfterMs(facts.headers) : undefined;
	return failure(kind, describe(said, facts.status), {
		...(facts.status === undefined ? {} : { status: facts.status }),
		...(wait === undefined ? {} : { retryAfterMs: Math.min(wait, limits.retryAfterMs) }),
	});
}

interface Said {
	message: string;
	codes: string[];
}

/** Vendors nest differently: `{error:{type,message}}`, `{error:"…"}`, `{message}`, `[{error}]`, plain text. */
function readError(body: unknown): Said {
	if (typeof body === "string") return readText(body);
	if (Array.isArray(body)) return readError(body[0]);
	if (!isRecord(body)) return { message: "", codes: [] };
	if (isRecord(body.error)) return readError(body.error);
	const codes = [body.type, body.code, body.status, body.error].filter(
		(c): c is string => typeof c === "string",
	);
	const message = [body.message, body.error, body.detail].find((m): m is string => typeof m === "string");
	return { message: message ?? "", codes };
}

function readText(text: string): Said {
	try {
		const parsed: unknown = JSON.parse(text);
		if (typeof parsed === "object" && parsed !== null) return readError(parsed);
	} catch {
		// Not JSON: a proxy's HTML page or plain text, shown as it is.
	}
	return { message: text.trim(), codes: [] };
}

function describe(said: Said, status: number | undefined): string {
	const text = said.message === "" ? (said.codes[0] ?? "no reason given") : said.message;
	return status === undefined ? text : `HTTP ${status}: ${text}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null;
}
