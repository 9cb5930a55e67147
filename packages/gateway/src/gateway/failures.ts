/** Failures as answers of HTTP: status, waiting time and the words of the client's protocol. */
import type { Failure, FailureKind } from "@tau/ai";
import type { ServedProtocol } from "@tau/ai/serving";

const statuses: Readonly<Record<FailureKind, number>> = {
	rate_limit: 429,
	overloaded: 503,
	auth: 401,
	overflow: 400,
	network: 502,
	timeout: 504,
	refusal: 400,
	invalid_request: 400,
	foreign_content: 400,
	invalid_response: 502,
	output_limit: 502,
	unknown: 500,
};

function statusOf({ kind, status }: Failure): number {
	return status !== undefined && status >= 400 && status <= 599 ? status : statuses[kind];
}

export function failureHeaders({ kind, retryAfterMs }: Failure): Record<string, string> {
	return {
		"x-tau-failure": kind,
		...(retryAfterMs === undefined
			? {}
			: { "retry-after": String(Math.ceil(retryAfterMs / 1000)), "retry-after-ms": String(retryAfterMs) }),
	};
}

export function failureResponse(
	protocol: Pick<ServedProtocol, "error">,
	failure: Failure,
	headers: Record<string, string> = {},
): Response {
	const status = statusOf(failure);
	return Response.json(protocol.error(failure, status), {
		status,
		headers: { ...headers, ...failureHeaders(failure) },
	});
}
