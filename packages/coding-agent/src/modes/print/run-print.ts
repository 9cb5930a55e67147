/** Sends one prompt, lets a printer show the run, and says how it went. */
import { failure, type AssistantMessage, type Failure } from "@tau/ai";
import { listen } from "@tau/utils";

import type { AgentSession, Prompt, SessionListener } from "../../session/index.ts";

export type PrintOutcome =
	{ kind: "answered" } | { kind: "interrupted" } | { kind: "failed"; failure: Failure };

export async function runPrint(
	session: AgentSession,
	prompt: Prompt,
	printer: SessionListener,
	signal: AbortSignal,
): Promise<PrintOutcome> {
	let outcome: PrintOutcome = { kind: "interrupted" };
	if (signal.aborted) return outcome;
	using _printer = session.subscribe(printer);
	using _outcome = session.subscribe((event) => {
		if (event.type === "turn_end") outcome = outcomeOf(event.message);
	});
	using _stop = listen(signal, "abort", () => session.abort());
	await session.prompt(prompt);
	return signal.aborted ? { kind: "interrupted" } : outcome;
}

function outcomeOf({ stopReason, failure: why, errorMessage }: AssistantMessage): PrintOutcome {
	if (stopReason === "aborted") return { kind: "interrupted" };
	if (stopReason !== "error") return { kind: "answered" };
	return { kind: "failed", failure: why ?? failure("unknown", errorMessage ?? "no reason given") };
}
