/** Sends prompts one after the other, lets a printer show the runs, and returns the outcome. */
import { failure, type AssistantMessage, type Failure } from "@tau/ai";
import { listen, span } from "@tau/utils";
import type { Prompt, SessionEvent, SessionListener } from "@tau/session";
import type { Admission, SessionHost } from "@tau/session/host";

type Exhausted = Extract<SessionEvent, { type: "budget_exhausted" }>;

export type PrintOutcome =
	| { kind: "answered" }
	| { kind: "interrupted" }
	| { kind: "failed"; failure: Failure }
	/** It has spent what it may spend, money or time. */
	| { kind: "exhausted"; reason: string; limit: Exhausted["limit"] }
	/** It calls something that is not there. */
	| { kind: "refused"; reason: string }
	/** A hook denied it; the printer has shown a notice with the reason. */
	| { kind: "denied"; reason: string }
	/** The last answer does not fit `--output-schema`. */
	| { kind: "unfit"; reason: string }
	/** The model answered, but the answer could not be put out. */
	| { kind: "unwritten"; reason: string };

/** Also without a request: a command of an extension was requested, and has run. */
const answered: PrintOutcome = { kind: "answered" };

/** Handles the events of a session; `end` is called when nothing more can change. */
export interface Printer {
	onEvent: SessionListener;
	end(): void | Promise<void>;
	/** Prints how it ended, once, after all prompts; formats without such a line have none. */
	conclude?(outcome: PrintOutcome): void | Promise<void>;
}

/** The first prompt that is not answered ends it: later ones expect a conversation that went well. */
export async function runPrint(
	host: Pick<SessionHost, "submit" | "attach" | "stop" | "waitForIdle">,
	prompts: readonly Prompt[],
	printer: Printer,
	signal: AbortSignal,
	/** Runs before the first prompt, when the printer gets events already. */
	prepare: () => Promise<void> = async () => {},
): Promise<PrintOutcome> {
	if (signal.aborted) return { kind: "interrupted" };
	const outcomes: PrintOutcome[] = [];
	using printing = host.attach({ onEvent: printer.onEvent });
	using _outcome = host.attach({
		onEvent: (event) => {
			// A limit that ends an answer aborts it.
			const isOver = outcomes.at(-1)?.kind === "exhausted";
			if (event.type === "turn_end" && !isOver) outcomes.push(outcomeOf(event.message));
			if (event.type === "budget_exhausted")
				outcomes.push({ kind: "exhausted", reason: event.message, limit: event.limit });
		},
	});
	using _stop = listen(signal, "abort", () => void host.stop());
	await prepare();
	for (const [index, prompt] of prompts.entries()) {
		using _span = span(index === 0 ? "print:prompt:initial" : "print:prompt:next");
		const outcome = await unsent(host.submit(prompt, { isQuiet: true }));
		if (outcome) outcomes.push(outcome);
		// An extension may have started its own run.
		await host.waitForIdle();
		if (signal.aborted || (outcomes.at(-1) ?? answered).kind !== "answered") break;
	}
	await printing.settled();
	await printer.end();
	if (signal.aborted) return { kind: "interrupted" };
	return outcomes.at(-1) ?? answered;
}

/** Resolves when the prompt was answered, with why no model was asked. */
async function unsent(submitting: Promise<Admission>): Promise<PrintOutcome | undefined> {
	const admission = await submitting;
	if (admission.kind === "refused") return admission;
	if (admission.kind === "queued") return undefined;
	const { refused, denied } = await admission.done;
	if (denied !== undefined) return { kind: "denied", reason: denied };
	return refused === undefined ? undefined : { kind: "refused", reason: refused };
}

function outcomeOf({ stopReason, failure: why, errorMessage }: AssistantMessage): PrintOutcome {
	if (stopReason === "aborted") return { kind: "interrupted" };
	if (stopReason !== "error") return { kind: "answered" };
	return { kind: "failed", failure: why ?? failure("unknown", errorMessage ?? "no reason given") };
}
