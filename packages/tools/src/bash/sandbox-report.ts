/** Says what the sandbox has denied a command, and runs it outside if the user wants that. */
import type { AgentToolResult } from "@tau/agent";
import { outsideCommand } from "@tau/machines/sandbox";
import { allowText, type Denial } from "@tau/machines/sandbox/denial";
import { commandEnvironment, type SessionOutcome } from "@tau/sys";

import type { ToolContext } from "../tool/define-tool.ts";
import { CommandRun, type CommandOptions } from "./command-run.ts";
import { limits } from "./limits.ts";
import { report, withNote } from "./report.ts";
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
	const plain = await report(run, outcome, before, context);
	const result = withheld === undefined ? plain : withNote(plain, withheld, {});
	const all = await denialsOf(run, outcome, context);
	if (all.length === 0) return result;
	const { denials, notes } = await settle(all, context);
	if (outcome.stopped === undefined && denials.some(({ mayRunOutside }) => mayRunOutside)) {
		// A command that succeeded is not asked about; but who has approved that it runs outside wants its effect.
		const onlyApproved = outcome.exitCode === 0;
		const why = denials.map(({ what }) => what).join("; ");
		const { command, env } = run.options;
		const shown = outsideCommand({ command, env, cwd: outsideDirectory(run.options, context) }, context.cwd);
		if (await context.sandbox?.requestOutside(shown, why, context.signal, onlyApproved))
			return runOutside(run.options, before, context);
	}
	if (denials.length === 0) return withNote(result, notes.join("\n"), {});
	await announce(denials, context);
	return withNote(result, [...notes, denialNote(denials, context)].join("\n"), deniedDetails(denials));
}

/** What the sandbox has denied a command that nobody awaited, or one of the user; undefined if nothing. */
export async function deniedNote(
	run: CommandRun,
	outcome: SessionOutcome,
	env: Pick<ToolContext, "sandbox"> & Partial<Pick<ToolContext, "session">>,
	reader: "model" | "user",
): Promise<string | undefined> {
	const all = outcome.exitCode === 0 ? [] : await denialsOf(run, outcome, env);
	if (all.length === 0) return undefined;
	const { denials, notes } = await settle(all, env);
	if (denials.length === 0) return notes.join("\n");
	if (env.session) await announce(denials, { sandbox: env.sandbox, session: env.session });
	if (reader === "model") return [...notes, denialNote(denials, env)].join("\n");
	const settings = ["/sandbox off", ...settingsOf(denials, env.sandbox?.isReadOnly)];
	return `[The sandbox denied:\n${listOf(denials)}\nTo allow it: ${settings.join(", or ")}]`;
}

async function denialsOf(
	run: CommandRun,
	{ cwd }: SessionOutcome,
	{ sandbox }: Pick<ToolContext, "sandbox">,
): Promise<Denial[]> {
	const { command, env = {} } = run.options;
	const text = [...Object.values(env), command].join("\n");
	return (await sandbox?.denials(run.output.summary().text, cwd, run.startedAt, text)) ?? [];
}

/** Asks about services of the user's machine, and sets apart what the sandbox has not denied. */
async function settle(
	all: readonly Denial[],
	{ sandbox }: Pick<ToolContext, "sandbox">,
): Promise<{ denials: Denial[]; notes: string[] }> {
	const denials: Denial[] = [];
	const notes: string[] = [];
	for (const denial of all) {
		const { what, localPort, isOther } = denial;
		if (isOther === true) notes.push(`[${what}]`);
		else if (localPort !== undefined && (await sandbox?.requestLocal(localPort)) === true)
			notes.push(reachableNote(localPort));
		else denials.push(denial);
	}
	return { denials, notes };
}

/** It may have had effects: the model decides whether to run it again. */
function reachableNote(port: number): string {
	return `[127.0.0.1:${port} is a service of the user's machine, which the sandbox did not let the command reach. It is reachable now. The command was not run again: try again.]`;
}

async function announce(
	denials: readonly Denial[],
	{ sandbox, session }: Pick<ToolContext, "sandbox" | "session">,
): Promise<void> {
	const { denied = [] } = sandbox ?? {};
	const known = new Set(denied.map(({ what }) => what));
	denied.push(...denials.filter(({ what }) => !known.has(what)));
	denied.splice(0, denied.length - limits.denials);
	await session.emit({
		type: "sandbox_denied",
		denials: denials.map(({ what, subject, allow }) => ({
			what,
			subject: subject ?? what,
			...(allow ? { setting: allow.setting, values: [...allow.values] } : {}),
		})),
	});
}

/** What the sandbox has denied a program that printed this: a note for the model, and details for views. */
export async function deniedReport(
	ran: { output: string; code: string; since: number },
	context: Pick<ToolContext, "sandbox" | "cwd" | "session">,
): Promise<{ note: string; details: Record<string, unknown> }> {
	const all = (await context.sandbox?.denials(ran.output, context.cwd, ran.since, ran.code)) ?? [];
	const { denials, notes } = await settle(all, context);
	if (denials.length === 0) return { note: notes.join("\n"), details: {} };
	await announce(denials, context);
	return { note: [...notes, denialNote(denials, context)].join("\n"), details: deniedDetails(denials) };
}

/** What views show of a call. */
function deniedDetails(denials: readonly Denial[]): Record<string, unknown> {
	return {
		sandboxDenied: denials.map(({ what }) => what),
		sandboxSubjects: [...new Set(denials.map(({ subject, what }) => subject ?? what))],
	};
}

function denialNote(denials: readonly Denial[], { sandbox }: Pick<ToolContext, "sandbox">): string {
	const writable = sandbox?.isReadOnly
		? "In plan mode only $TMPDIR is writable"
		: "Only the project and $TMPDIR are writable";
	const settings = settingsOf(denials, sandbox?.isReadOnly);
	const setting = settings.length === 0 ? "" : ` (${settings.join("; ")})`;
	const [rule = "", remedy = ""] = advice.trim().split("\n");
	const isFinal = sandbox?.isReadOnly === true && settings.length === 0;
	const text = rule.replace("@WRITABLE@", () => writable);
	const more = isFinal ? "" : ` ${remedy.replace("@SETTING@", () => setting)}`;
	return `[The sandbox denied:\n${listOf(denials)}\n${text}${more}]`;
}

/** In plan mode nothing that the settings name becomes writable. */
function settingsOf(denials: readonly Denial[], isReadOnly = false): string[] {
	const all = denials.flatMap(({ allow }) =>
		allow && !(isReadOnly && allow.setting === "sandbox.writable") ? allowText(allow) : [],
	);
	return [...new Set(all)];
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
	return withNote(await report(run, outcome, before, context), note, { outsideSandbox: true });
}
