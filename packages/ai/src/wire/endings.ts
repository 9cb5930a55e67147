/** Ends an answer by the provider's stop reason: complete, cut at its length limit, or failed. */
import { failure } from "../failure.ts";
import type { MessageBuilder } from "../message-builder.ts";
import type { Failure, FailureKind } from "../types.ts";

export type Ending = "complete" | "length" | readonly [kind: FailureKind, message: string];

/** The stop reasons of a protocol, in lower case. */
export type Endings = Readonly<Record<string, Ending>>;

/**
 * A reason that is not in the table is a failure that names it: a future reason may mean that the answer was
 * withheld. Gateways that give no reason at all are trusted. `detail` is the server's own explanation.
 */
export function finish(
	builder: MessageBuilder,
	endings: Endings,
	reason: string,
	detail = "",
): Failure | undefined {
	if (reason !== "") builder.message.rawStopReason = reason;
	const ending = endingOf(endings, reason);
	if (typeof ending !== "string") {
		const [kind, message] = ending;
		return failure(kind, detail === "" ? message : `${message}: ${detail}`);
	}
	builder.done(ending === "length" ? "length" : builder.wholeReason);
	return undefined;
}

function endingOf(endings: Endings, reason: string): Ending {
	const key = reason.toLowerCase();
	if (key === "") return "complete";
	const known = Object.hasOwn(endings, key) ? endings[key] : undefined;
	return (
		known ?? ["unknown", `The provider ended the answer for a reason that Tau does not know (${reason})`]
	);
}
