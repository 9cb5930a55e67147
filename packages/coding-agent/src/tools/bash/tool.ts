/** Runs a shell command and reports what it printed and how it ended. */
import { stat } from "node:fs/promises";

import type { AgentToolResult } from "@tau/agent";
import { commandEnvironment, OutputTail, runShell, type ShellOutcome } from "@tau/sys";
import { oneLine, stripControls } from "@tau/utils";
import { z } from "zod";

import { defineTool, type ToolContext } from "../define-tool.ts";
import { limits } from "../limits.ts";
import { errorResult, textResult } from "../result.ts";
import prompt from "./prompt.md" with { type: "text" };

export const bash = defineTool({
	name: "bash",
	label: "Run command",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	parameters: z.object({
		command: z.string().min(1),
		cwd: z.string().optional().describe("working directory"),
		timeout: z.number().optional().describe(`seconds, default ${limits.bashTimeoutSeconds}`),
	}),
	async execute({ command, cwd, timeout }, context) {
		const place = context.resolve(cwd ?? ".");
		const info = await stat(place).catch(() => undefined);
		if (!info) return errorResult(`Working directory does not exist: ${place}`);
		if (!info.isDirectory()) return errorResult(`Working directory is not a directory: ${place}`);
		const seconds = clamp(timeout ?? limits.bashTimeoutSeconds, 1, limits.bashTimeoutMaxSeconds);
		const output = new OutputTail();
		const outcome = await runShell({
			command,
			cwd: place,
			env: commandEnvironment(context.env),
			timeoutMs: seconds * 1000,
			signal: context.signal,
			onOutput: liveOutput(output, context),
		});
		return report(command, output, outcome, seconds);
	},
	view: { call: ({ command }) => `bash $ ${oneLine(command ?? "…", limits.readLineChars)}` },
});

function liveOutput(output: OutputTail, context: ToolContext): (chunk: Uint8Array) => void {
	let shownAt = 0;
	return (chunk) => {
		output.push(chunk);
		const now = performance.now();
		if (now - shownAt < limits.updateMs) return;
		shownAt = now;
		context.update(textResult(stripControls(output.text())));
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
	const shown = stripControls(output.text()).trimEnd();
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
