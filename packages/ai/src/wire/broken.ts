/** How a stream breaks in any protocol. */
import { classify, failure } from "../failure.ts";
import { object as objectOf, type Json } from "../json.ts";
import type { Failure } from "../types.ts";
import type { ServerEvent } from "./codec.ts";

export function endedEarly(sender = "server"): Failure {
	return failure("network", `The ${sender} closed the stream before the answer was complete`);
}

/** `what` is the protocol's own name for an event. Proxies report their errors as plain text. */
export function notJson(data: string, what = "an event", sender = "server"): Failure {
	const refusal = classify({ body: data });
	if (refusal.kind !== "unknown") return refusal;
	return failure("network", `The ${sender} sent ${what} that is not JSON: ${data}`);
}

/**
 * The failure that an event reports, in the shapes that gateways use in every protocol: an event named `error`, an
 * object of that type, or an `error` field.
 */
export function reportedError({ event, data }: ServerEvent, payload: Json | undefined): Failure | undefined {
	if (!payload) return event === "error" ? classify({ body: data }) : undefined;
	const { type, object, error } = payload;
	const isError =
		event === "error" || type === "error" || object === "error" || (error !== undefined && error !== null);
	return isError ? classify({ body: payload, headers: headersOf(payload) }) : undefined;
}

/** A message of a websocket repeats the headers that a refusal over HTTP would have. */
function headersOf({ headers }: Json): Headers {
	const known = new Headers();
	for (const [name, value] of Object.entries(objectOf(headers))) {
		const text = typeof value === "number" ? String(value) : value;
		if (typeof text === "string" && /^[\w-]+$/.test(name) && /^[\x20-\x7e]*$/.test(text))
			known.set(name, text);
	}
	return known;
}
