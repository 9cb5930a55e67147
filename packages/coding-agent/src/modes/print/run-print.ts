/** Sends one prompt, lets a printer show the run, and says how it went. */
import type { Failure } from "@tau/ai";

import type { AgentSession, Prompt, SessionListener } from "../../session/index.ts";

export type PrintOutcome =
	{ kind: "answered" } | { kind: "interrupted" } | { kind: "failed"; failure: Failure };

export async function runPrint(
	session: AgentSession,
	prompt: Prompt,
	printer: SessionListener,
	signal: AbortSignal,
): Promise<PrintOutcome> {
	let outcome: PrintOutcome = { kind: "answered" };
	using _printer = session.subscribe(printer);
	using _outcome = session.subscribe((event) => {
		if (event.type !== "turn_end") return;
		const { stopReason, failure } = event.message;
		if (stopReason === "aborted") outcome = { kind: "interrupted" };
		else if (stopReason === "error" && failure) outcome = { kind: "failed", failure };
	});
	const stop = (): void => session.abort();
	signal.addEventListener("abort", stop, { once: true });
	try {
		await session.prompt(prompt);
	} finally {
		signal.removeEventListener("abort", stop);
	}
	return signal.aborted ? { kind: "interrupted" } : outcome;
}
