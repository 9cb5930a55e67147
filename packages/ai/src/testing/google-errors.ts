/** The errors of Google's servers: a code, a message, a status word and typed details. */

import { faultReply, jsonReply, type ErrorReply, type Problem } from "./protocol.ts";
import type { VendorError } from "./scenario.ts";

type Known = readonly [status: string, message: string];

const internal: Known = ["INTERNAL", "An internal error has occurred. Please retry or report in the forum."];
const overloaded: Known = ["UNAVAILABLE", "The model is overloaded. Please try again later."];

const errors: Readonly<Record<number, Known>> = {
	400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
	401: [
		"UNAUTHENTICATED",
		"Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
	],
	403: ["PERMISSION_DENIED", "The caller does not have permission"],
	404: [
		"NOT_FOUND",
		"models/played is not found for API version v1beta, or is not supported for generateContent.",
	],
	413: ["INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."],
	429: ["RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
	500: internal,
	503: overloaded,
	529: overloaded,
};

const overflow = "The input token count (1200251) exceeds the maximum number of tokens allowed (1048576).";

export function googleError(problem: Problem): ErrorReply {
	const headers = { vary: "Origin, X-Origin, Referer" };
	if ("overflow" in problem) return jsonReply(400, headers, errorBody(400, "INVALID_ARGUMENT", overflow));
	const { http } = problem;
	const [status, message] = errors[http] ?? internal;
	if ("error" in problem) {
		const { error } = problem;
		return jsonReply(http, headers, errorBody(http, error.type ?? status, error.message ?? message));
	}
	const { retryAfter } = problem;
	if (http !== 429 || typeof retryAfter !== "number") {
		return faultReply(problem, headers, errorBody(http, status, message, detailsOf(http)));
	}
	// The vendor states the wait in the message and in a detail, not in a header.
	const { retryAfter: _, ...withoutHeader } = problem;
	const sentence = `${message} Please retry in ${retryAfter}s.`;
	return faultReply(
		withoutHeader,
		headers,
		errorBody(http, status, sentence, [...quota, retryInfo(retryAfter)]),
	);
}

/** An error in a stream has the same form as one in a body. */
export function googleErrorEvent({ type, message }: VendorError): object {
	const code = Object.entries(errors).find(([, [status]]) => status === type)?.[0] ?? "500";
	return errorBody(Number(code), type, message);
}

function errorBody(code: number, status: string, message: string, details: readonly object[] = []): object {
	return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

function detailsOf(http: number): readonly object[] {
	return http === 429 ? quota : [];
}

const quota: readonly object[] = [
	{
		"@type": "type.googleapis.com/google.rpc.QuotaFailure",
		violations: [
			{
				quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
				quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
				quotaDimensions: { location: "global", model: "played" },
				quotaValue: "5",
			},
		],
	},
	{
		"@type": "type.googleapis.com/google.rpc.Help",
		links: [
			{
				description: "Learn more about Gemini API quotas",
				url: "https://ai.google.dev/gemini-api/docs/rate-limits",
			},
		],
	},
];

function retryInfo(seconds: number): object {
	return { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
}
