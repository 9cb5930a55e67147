/** How a stream breaks in any protocol. */
import { failure } from "../failure.ts";
import type { Failure } from "../types.ts";

export function endedEarly(sender = "server"): Failure {
	return failure("network", `The ${sender} closed the stream before the answer was complete`);
}

/** `what` is the protocol's own name for an event. */
export function notJson(data: string, what = "an event", sender = "server"): Failure {
	return failure("network", `The ${sender} sent ${what} that is not JSON: ${data}`);
}
