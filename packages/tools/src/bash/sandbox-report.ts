/** Says what the sandbox has denied a command, and runs it outside if the user wants that. */
import type { AgentToolResult } from "@tau/agent";
import { commandEnvironment, outsideCommand, type Denial, type SessionOutcome } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";
import { CommandRun, type CommandOptions } from "./command-run.ts";
import { report } from "./report.ts";
import advice from "./sandbox-advice.md" with { type: "text" };
import { shellService } from "./shell-service.ts";
import { withheldNote } from "./withheld-note.ts";

/** The result of a command that has ended, with what it was denied. */
export async function sandboxReport(
	run: CommandRun,
	outcome: SessionOutcome,
	before: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const output = run.output.summary().text;
	const withheld =
		outcome.exitCode === 0 ? undefined : withheldNote(run.options.command, output, context.env);
	const plain = report(run, outcome, before, context);
	const result = withheld === undefined ? plain : withNote(plain, withheld, {});
	const denials = await context.sandbox?.denials(output, outcome.cwd, run.startedAt);
	if (!denials || denials.length === 0) return result;
	const isOver = outcome.stopped !== undefined || outcome.exitCode === 0;
	if (!isOver && denials.some(({ mayRunOutside }) => mayRunOutside)) {
		const why = denials.map(({ what }) => what).join("; ");
		const { command, env } = run.options;
		const shown = outsideCommand({ command, env, cwd: outsideDirectory(run.options, context) }, context.cwd);
		if (await context.sandbox?.requestOutside(shown, why, context.signal))
			return runOutside(run.options, before, context);
	}
	return withNote(result, denialNote(denials, context), { sandboxDenied: denials.map(({ what }) => what) });
}

/** What the sandbox has denied a command that nobody awaited, or one of the user; undefined if nothing. */
export async function deniedNote(
	run: CommandRun,
	{ cwd, exitCode }: SessionOutcome,
	context: Pick<ToolContext, "sandbox">,
	reader: "model" | "user",
): Promise<string | undefined> {
	const { sandbox } = context;
	const denials = exitCode === 0 ? [] : await sandbox?.denials(run.output.summary().text, cwd, run.startedAt);
	if (!denials || denials.length === 0) return undefined;
	if (reader === "model") return denialNote(denials, context);
	const settings = ["/sandbox off", ...denials.flatMap(({ help }) => help ?? [])].join(", or ");
	return `[The sandbox denied:\n${listOf(denials)}\nTo allow it: ${settings}]`;
}

/** What the sandbox has denied a program that printed this; undefined if nothing. */
export async function deniedText(
	output: string,
	context: Pick<ToolContext, "sandbox" | "cwd">,
	since: number,
): Promise<string | undefined> {
	const { sandbox, cwd } = context;
	const denials = (await sandbox?.denials(output, cwd, since)) ?? [];
	return denials.length === 0 ? undefined : denialNote(denials, context);
}

function denialNote(denials: readonly Denial[], { sandbox }: Pick<ToolContext, "sandbox">): string {
	const writable = sandbox?.isReadOnly
		? "In plan mode only $TMPDIR is writable"
		: "Only the project and $TMPDIR are writable";
	const settings = denials.flatMap(({ help }) => help ?? []);
	const setting = settings.length === 0 ? "" : ` (${settings.join("; ")})`;
	return `[The sandbox denied:\n${listOf(denials)}\n${advice
		.trim()
		.replace("@WRITABLE@", () => writable)
		.replace("@SETTING@", () => setting)}]`;
}

function listOf(denials: readonly Denial[]): string {
	return denials.map(({ what }) => `- ${what}`).join("\n");
}

function outsideDirectory({ cwd }: CommandOptions, context: ToolContext): string {
	return cwd ?? context.services.get(shellService, context).cwd;
}

/** In a shell of its own: what the sandboxed one has defined could change the meaning of the command. */
async function runOutside(
	options: CommandOptions,
	before: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const cwd = outsideDirectory(options, context);
	const { outside } = context.sandbox ?? {};
	if (!outside) throw new Error("There is no sandbox.");
	await using shell = outside.session({ cwd, env: commandEnvironment(context.env) });
	const machine = { ...context.machine, shell: outside };
	using run = new CommandRun({ ...options, cwd }, shell, { ...context, machine });
	const stop = (): void => run.stop();
	context.signal.addEventListener("abort", stop, { once: true });
	const outcome = await run.ended.finally(() => context.signal.removeEventListener("abort", stop));
	const note = "[Ran outside the sandbox, approved by the user.]";
	return withNote(report(run, outcome, before, context), note, { outsideSandbox: true });
}

function withNote(result: AgentToolResult, note: string, details: Record<string, unknown>): AgentToolResult {
	const known = typeof result.details === "object" ? result.details : {};
	const last = result.content.at(-1);
	const text = last?.type === "text" ? `${last.text}\n\n${note}` : note;
	const content = [...result.content.slice(0, -1), { type: "text" as const, text }];
	return { ...result, content, details: { ...known, ...details } };
}
