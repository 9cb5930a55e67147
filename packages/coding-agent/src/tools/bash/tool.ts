/** Runs a shell command and reports what it printed and how it ended. */
import { stat } from "node:fs/promises";

import type { AgentToolResult } from "@tau/agent";
import { commandEnvironment, OutputTail, runShell, type ShellOutcome } from "@tau/sys";
import { onDispose, timer } from "@tau/utils";
import { z } from "zod";

import { defineTool } from "../define-tool.ts";
import { limits } from "../limits.ts";
import { errorResult, textResult } from "../result.ts";
import prompt from "./prompt.md" with { type: "text" };
import { shownOutput } from "./shown-output.ts";

export const bash = defineTool({
	name: "bash",
	label: "Run command",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	parameters: z.object({
		command: z.string().min(1),
		cwd: z.string().optional().describe("working directory"),
		timeout: z
			.number()
			.optional()
			.describe(`seconds, default ${limits.bashTimeoutSeconds} or what the user set`),
	}),
	async execute({ command, cwd, timeout }, context) {
		const place = context.resolve(cwd ?? ".");
		const info = await stat(place).catch(() => undefined);
		if (!info) return errorResult(`Working directory does not exist: ${place}`);
		if (!info.isDirectory()) return errorResult(`Working directory is not a directory: ${place}`);
		const allowed = timeout ?? context.settings.get("bash.timeoutSeconds");
		const seconds = clamp(allowed, 1, limits.bashTimeoutMaxSeconds);
		const output = new OutputTail();
		using live = liveUpdates(() => context.update(textResult(shownOutput(output))));
		const outcome = await runShell({
			command,
			cwd: place,
			env: commandEnvironment(context.env),
			timeoutMs: seconds * 1000,
			signal: context.signal,
			onOutput: (chunk) => {
				output.push(chunk);
				live.changed();
			},
		});
		return report(command, output, outcome, seconds);
	},
	view: { call: ({ command }) => `bash $ ${command ?? "…"}` },
});

/** Shows a change at once or, soon after the last time, a moment later: also what comes before a long silence is seen. */
function liveUpdates(show: () => void): Disposable & { changed(): void } {
	let pause: Disposable | undefined;
	let stale = false;
	const showNow = (): void => {
		stale = false;
		show();
		pause = timer(limits.updateMs, () => {
			pause = undefined;
			if (stale) showNow();
		});
	};
	return {
		changed() {
			if (pause) stale = true;
			else showNow();
		},
		...onDispose(() => pause?.[Symbol.dispose]()),
	};
}

function report(
	command: string,
	output: OutputTail,
	outcome: ShellOutcome,
	seconds: number,
): AgentToolResult {
	const { totalBytes, totalLines, truncated } = output;
	const details = { command, ...outcome, totalBytes, totalLines, truncated };
	const shown = shownOutput(output);
	const cut = truncated ? `[the end of ${totalLines} lines, ${totalBytes} bytes]\n` : "";
	const text = cut + (shown === "" ? "(no output)" : shown);
	if (outcome.stopped === "abort") return errorResult(`${text}\n\nCommand stopped by the user.`, details);
	if (outcome.stopped === "timeout") {
		return errorResult(`${text}\n\nCommand stopped after ${seconds} s without an end.`, details);
	}
	if (outcome.exitCode === 0) return textResult(text, details);
	const ending = outcome.killedBy
		? `was killed by ${outcome.killedBy}`
		: `exited with code ${outcome.exitCode}`;
	return errorResult(`${text}\n\nCommand ${ending}`, details);
}

function clamp(value: number, least: number, most: number): number {
	return Math.min(Math.max(value, least), most);
}
