/** Reports how a command ended, in a form that a model can act on. */
import type { AgentToolResult } from "@tau/agent";
import type { SessionOutcome, ShellOutcome } from "@tau/sys";

import type { OutputSummary } from "../output/index.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { CommandRun } from "./command-run.ts";

export function report(run: CommandRun, outcome: SessionOutcome, before: string): AgentToolResult {
	const { text, outputLines, ...facts } = run.output.summary();
	const details = {
		command: run.options.command,
		...outcome,
		...facts,
		...truncationOf(text, outputLines, facts),
	};
	const moved = run.options.cwd === undefined && outcome.cwd !== before;
	const parts = [text === "" ? "(no output)" : text];
	if (moved) parts.push(`[the shell is now in ${outcome.cwd}]`);
	if (outcome.exitCode === 0 && outcome.stopped === undefined) return textResult(parts.join("\n\n"), details);
	return errorResult([...parts, `Command ${howItEnded(outcome, run.options.seconds)}`].join("\n\n"), details);
}

/** What clients of omp look for in a result that does not show everything. */
function truncationOf(
	text: string,
	outputLines: number,
	{ truncated, totalLines, totalBytes, artifactId }: Omit<OutputSummary, "text" | "outputLines">,
): { meta?: { truncation: Record<string, unknown> } } {
	if (!truncated) return {};
	const truncation = {
		// The start and the end are shown.
		direction: "middle",
		truncatedBy: "bytes",
		totalLines,
		totalBytes,
		outputLines,
		outputBytes: Buffer.byteLength(text),
		...(artifactId === undefined ? {} : { artifactId }),
	};
	return { meta: { truncation } };
}

/** The text that follows "Command". */
export function howItEnded({ exitCode, killedBy, stopped }: ShellOutcome, seconds: number): string {
	if (stopped === "abort") return "interrupted by the user.";
	if (stopped === "timeout") return `timed out after ${seconds} s.`;
	return killedBy === undefined ? `exited with code ${exitCode ?? 0}` : `was killed by ${killedBy}`;
}
