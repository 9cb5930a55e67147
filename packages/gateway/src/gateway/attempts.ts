/** Asks a provider with one credential after another, until an answer begins or none is left that may help. */
import { CredentialError, failure, noUsage, type Failure, type Model, type Usage } from "@tau/ai";
import type { Json, ServedProtocol } from "@tau/ai/serving";

import { limits } from "./limits.ts";
import type { Lease, Upstream } from "./upstream.ts";

/** One request of a client to a model, in the client's protocol. */
export interface Exchange {
	upstream: Upstream;
	protocol: ServedProtocol;
	model: Model;
	/** The model in counters and the log: clients choose no name there. */
	label: string;
	/** The body that is passed on. */
	text: string;
	/** What the client asks for: its body, and what the address says. */
	body: Json;
	/** The path of the provider for the same request, below its base URL. */
	path: string;
	/** The client's headers that belong to its protocol. */
	headers: Record<string, string>;
	/** Groups the requests of one conversation, if the client says so. */
	sessionId?: string;
	/** Ends when the client leaves. */
	signal: AbortSignal;
	/** What the latest attempt is sent with. */
	lease?: Lease;
	/** Called once, when the answer has ended. */
	onEnd(end: ExchangeEnd): void;
}

export interface ExchangeEnd {
	usage: Usage;
	failure?: Failure;
	/** Until the answer began. */
	firstMs: number;
}

/** Why there is no answer. */
export interface Failed {
	failure: Failure;
	usage: Usage;
	/** The provider's own words. */
	response?: Response;
}

type Parts = Pick<Exchange, "upstream" | "model" | "signal" | "lease">;

/** `ask` sends the request; it is not called again once an answer has begun. */
export async function attempts<T extends object>(
	parts: Parts,
	sessionId: string | undefined,
	ask: (lease: Lease) => Promise<T | Failed>,
): Promise<T | Failed> {
	let last: Failed | undefined;
	let key: string | undefined;
	for (let attempt = 0; attempt < limits.attempts; attempt++) {
		const lease = await leaseOf(parts, sessionId);
		if (!("access" in lease)) return last ?? { failure: lease, usage: noUsage() };
		// The same credential would be refused again.
		if (last && last.failure.kind !== "network" && lease.access.apiKey === key) return last;
		key = lease.access.apiKey;
		parts.lease = lease;
		const answer = await ask(lease);
		if (!("failure" in answer)) return answer;
		report(lease, answer.failure);
		if (!mayHelp(answer.failure) || parts.signal.aborted) return answer;
		last = answer;
	}
	return last ?? { failure: failure("unknown", "The provider was not asked"), usage: noUsage() };
}

function mayHelp({ kind }: Failure): boolean {
	return kind === "auth" || kind === "rate_limit" || kind === "network";
}

/** A credential that cannot be had is the failure of the request. */
async function leaseOf(
	{ upstream, model, signal }: Parts,
	sessionId: string | undefined,
): Promise<Lease | Failure> {
	try {
		return await upstream.lease(model, sessionId, signal);
	} catch (error) {
		if (error instanceof CredentialError) return failure("auth", error.message);
		throw error;
	}
}

/** Only outcomes that depend on the credential count: a server that is down is no evidence about it. */
function report(lease: Lease, { kind, message, status, retryAfterMs }: Failure): void {
	if (kind === "rate_limit") lease.report({ kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
	if (kind === "auth") lease.report({ kind, reason: message, ...(status === undefined ? {} : { status }) });
}
