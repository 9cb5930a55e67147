/** Reports how a command ended, in a form that a model can act on. */
import type { AgentMessage, AgentToolResult, CarriedFact } from "@tau/agent";
import type { SessionOutcome, ShellOutcome } from "@tau/sys";
import type { ArtifactStore } from "@tau/session/artifacts";
import { log, once, oneLine } from "@tau/utils";
import { z } from "zod";

import type { OutputSummary } from "../output/index.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { CommandRun } from "./command-run.ts";
import { limits } from "./limits.ts";
import { minimize } from "./minimize.ts";

export async function report(
	run: CommandRun,
	outcome: SessionOutcome,
	before: string,
	env: Pick<ToolContext, "artifacts" | "settings">,
): Promise<AgentToolResult> {
	const { text: whole, outputLines, ...facts } = run.summary();
	const text = shortened(run, whole, facts.artifactId, env);
	const details = {
		command: run.options.command,
		...outcome,
		...(await saidOf(whole, text, outcome)),
		...facts,
		...truncationOf(text, outputLines, facts),
	};
	const moved = run.options.cwd === undefined && outcome.cwd !== before;
	const parts = [text === "" ? "(no output)" : text];
	if (moved) parts.push(`[the shell is now in ${outcome.cwd}]`);
	if (run.options.note !== undefined) parts.push(run.options.note);
	if (outcome.exitCode === 0 && outcome.stopped === undefined) return textResult(parts.join("\n\n"), details);
	return errorResult([...parts, `Command ${howItEnded(outcome, run.options.seconds)}`].join("\n\n"), details);
}

/** What tests or a build came to. The reader is loaded for output that may say it: most commands print a line or two. */
async function saidOf(
	whole: string,
	shown: string,
	{ exitCode }: SessionOutcome,
): Promise<{ outcome?: string; failureLine?: number }> {
	if (outputLinesIn(whole) < limits.outcomeLines) return {};
	const { failureLine, outcomeOf } = await import("./outcome.ts");
	const outcome = outcomeOf(whole, exitCode !== 0);
	if (outcome === undefined) return {};
	const line = outcome.includes(" failed") ? failureLine(shown) : undefined;
	return { outcome, ...(line === undefined ? {} : { failureLine: line }) };
}

function outputLinesIn(text: string): number {
	return text === "" ? 0 : text.trimEnd().split("\n", limits.outcomeLines).length;
}

/** The output without repeated progress; the model can read all of it in an artifact. */
function shortened(
	{ options, hasTerminal }: CommandRun,
	text: string,
	artifactId: string | undefined,
	{ artifacts, settings }: Pick<ToolContext, "artifacts" | "settings">,
): string {
	const short = hasTerminal || !settings.get("bash.minimizer") ? undefined : minimize(text);
	if (short === undefined) return text;
	try {
		return `${short}\n\n[raw output: artifact://${artifactId ?? keptWhole(text, artifacts)}]`;
	} catch (error) {
		log.warn("the output of a command was not shortened", {
			command: options.command,
			reason: String(error),
		});
		return text;
	}
}

function keptWhole(text: string, artifacts: ArtifactStore): string {
	using artifact = artifacts.open("bash-original");
	artifact.write(Buffer.from(text));
	if (artifact.lost > 0) throw new Error("the disk did not take all of it");
	return artifact.id;
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

/** Commands whose failure is a state of the project; a search without matches fails too, and says nothing. */
const checks =
	/(^|[\s/;&|(:])(test|tests|check|lint|build|typecheck|tsc|eslint|biome|oxlint|jest|vitest|mocha|playwright|pytest|tox|ruff|mypy|pyright|cargo|make|ninja|ctest|mvn|gradlew?|rspec|rake|phpunit|dotnet|swift|zig|bazel|go (test|build|vet))([\s;&|:)]|$)/;

const ended = once(() => z.object({ command: z.string(), exitCode: z.number().optional() }));

/** A check that succeeds removes what an earlier run of it has reported. */
export function failingCheck(message: AgentMessage): CarriedFact[] {
	const { data } = message.role === "toolResult" ? ended().safeParse(message.details) : {};
	if (data?.exitCode === undefined || !checks.test(data.command)) return [];
	const command = oneLine(data.command, limits.checkChars);
	const text = data.exitCode === 0 ? "" : `- \`${command}\` failed with exit code ${data.exitCode}`;
	return [{ section: "failing", key: command, text }];
}

/** A result that says one thing more at its end. */
export function withNote(
	result: AgentToolResult,
	note: string,
	details: Record<string, unknown>,
): AgentToolResult {
	const known = typeof result.details === "object" ? result.details : {};
	const last = result.content.at(-1);
	const text = last?.type === "text" ? `${last.text}\n\n${note}` : note;
	const content = [...result.content.slice(0, -1), { type: "text" as const, text }];
	return { ...result, content, details: { ...known, ...details } };
}
