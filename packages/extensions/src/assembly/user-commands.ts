/** Runs the user's own commands in the shell of the tools, or where an extension runs them. */
import type { CellLanguage, CommandOutcome, CommandRunner } from "@tau/session/host";
import { CommandRun, jobsService, shellService, type Job } from "@tau/tools/bash";
import { liveUpdates, OutputSink } from "@tau/tools/output";
import type { ToolEnv } from "@tau/tools/tool";
import { listen, shortId, withheldSecrets } from "@tau/utils";

import type { BashOperations } from "../api/bash-operations.ts";
import type { Extensions } from "../host/extensions.ts";

/** The bounds of putting a session together, each with its reason. */
const limits = {
	/** A command of the user may be a server; one that runs for longer than a day was forgotten. */
	userCommandMs: 24 * 60 * 60 * 1000,
} as const;

interface Ended {
	exitCode: number | undefined;
	cancelled: boolean;
}

type Start = (command: string, signal: AbortSignal, onData: (chunk: Uint8Array) => void) => Promise<Ended>;

/** Runs in the shell of the tools, until it ends or the user moves it to the background. */
export function runUserCommand(env: ToolEnv): CommandRunner {
	return async (command, { signal, onOutput, onChunk, isPrivate }) => {
		const { recorder } = env.journal;
		const id = shortId();
		await recorder?.commandStarting(id, signal);
		await using _recorded = { [Symbol.asyncDispose]: async () => recorder?.commandEnded(id, undefined) };
		const shell = env.services.get(shellService, env);
		const seconds = limits.userCommandMs / 1000;
		// The user's own command gets what the user's own shell has; on another machine that would be sent there.
		const own = env.machine.where.kind === "ssh" ? {} : withheldSecrets(env.env);
		const run = new CommandRun({ command, seconds, pty: false, beside: false, env: own }, shell, env);
		using live = liveUpdates(() => onOutput?.(run.output.live()));
		run.onOutput = (chunk) => {
			onChunk?.(chunk);
			live.changed();
		};
		using _abort = listen(signal, "abort", () => run.stop());
		if (signal.aborted) run.stop();
		const moved = Promise.withResolvers<Job>();
		const jobs = env.services.get(jobsService, env);
		using _offer = jobs.offer(() => {
			run.leave();
			const job = jobs.add(run, isPrivate ? "private" : "user");
			moved.resolve(job);
			return job;
		});
		const end = await Promise.race([outcomeOf(run, env), moved.promise]);
		if (!("state" in end)) return end;
		run.onOutput = () => {};
		const { text, lines } = run.output.since(0);
		end.seen = lines;
		const note = `[still running in the background as job ${end.id}]`;
		return {
			output: text === "" ? note : `${text}\n${note}`,
			exitCode: undefined,
			cancelled: false,
			truncated: false,
		};
	};
}

/** Runs a cell in the interpreter of the tools. Its calls of tools are checked like those of the model. */
export function runUserCell(language: CellLanguage, env: ToolEnv): CommandRunner {
	return async (code, { signal, onOutput, onChunk }) => {
		const { callsOf, cellsService, disabledReason } = await import("@tau/integrations/eval");
		const { recorder } = env.journal;
		const id = shortId();
		using sink = new OutputSink({ tool: "eval", artifacts: env.artifacts });
		const disabled = disabledReason(language, env);
		if (disabled !== undefined)
			return { ...outputOf(sink, env, disabled), exitCode: undefined, cancelled: false };
		await recorder?.commandStarting(id, signal);
		await using _recorded = { [Symbol.asyncDispose]: async () => recorder?.commandEnded(id, undefined) };
		using live = liveUpdates(() => onOutput?.(sink.live()));
		const notes: string[] = [];
		const events = {
			onText(text: Uint8Array) {
				sink.push(text);
				onChunk?.(text);
				live.changed();
			},
			onImage: () => void notes.push("[an image]"),
			onJson: () => {},
			onCall: callsOf({ session: env.session, toolCallId: id, signal }),
		};
		const seconds = limits.userCommandMs / 1000;
		try {
			const cells = env.services.get(cellsService, env);
			const end = await cells.run(language, code, { seconds, signal, reset: false, events });
			env.machine.files.noteChange({});
			const output = outputOf(sink, env, [...notes, ...end.notes].join("\n"));
			return { ...output, exitCode: end.ok ? 0 : 1, cancelled: end.stopped !== undefined };
		} catch (error) {
			const problem = error instanceof Error ? error.message : String(error);
			return { ...outputOf(sink, env, problem), exitCode: undefined, cancelled: false };
		}
	};
}

async function outcomeOf(
	run: CommandRun,
	env: Pick<ToolEnv, "artifacts" | "sandbox">,
): Promise<CommandOutcome> {
	try {
		const outcome = await run.ended;
		const { exitCode, stopped } = outcome;
		const { deniedNote } = await import("@tau/tools/bash/denied");
		const denied = await deniedNote(run, outcome, env, "user");
		return { ...outputOf(run.output, env, denied), exitCode, cancelled: stopped !== undefined };
	} catch (error) {
		const problem = error instanceof Error ? error.message : String(error);
		return { ...outputOf(run.output, env, problem), exitCode: undefined, cancelled: false };
	}
}

/** The output as the model reads it, and the file that has all of it. */
function outputOf(
	sink: Pick<OutputSink, "summary">,
	{ artifacts }: Pick<ToolEnv, "artifacts">,
	problem?: string,
): Pick<CommandOutcome, "output" | "truncated" | "fullOutputPath" | "totals"> {
	const { text, truncated, artifactId, totalLines, totalBytes, outputLines } = sink.summary();
	const output = problem === undefined ? text : [text, problem].filter(Boolean).join("\n");
	const path = artifactId === undefined ? undefined : artifacts?.find(artifactId);
	const id = artifactId === undefined ? {} : { artifactId };
	const totals = { totalLines, totalBytes, outputLines, outputBytes: Buffer.byteLength(text), ...id };
	return { output, truncated, totals, ...(path === undefined ? {} : { fullOutputPath: path }) };
}

/** pi's operations as a way to run a command. */
export function runByOperations(
	env: Pick<ToolEnv, "cwd" | "artifacts" | "env">,
	by: BashOperations,
): CommandRunner {
	return runner(env, async (command, signal, onData) => {
		const { exitCode } = await by.exec(command, env.cwd, { onData, signal, env: env.env });
		return { exitCode: exitCode ?? undefined, cancelled: signal.aborted };
	});
}

/** An extension may know the outcome already, or run the command elsewhere. */
export async function interceptCommand(
	extensions: Extensions | undefined,
	env: ToolEnv,
	command: string,
	isPrivate: boolean,
): Promise<{ outcome?: CommandOutcome; runner?: CommandRunner } | undefined> {
	const instead = await extensions?.userBash({ command, cwd: env.cwd, excludeFromContext: isPrivate });
	if (instead?.result) return { outcome: instead.result };
	return instead?.operations ? { runner: runByOperations(env, instead.operations) } : undefined;
}

function runner({ artifacts }: Pick<ToolEnv, "artifacts">, start: Start): CommandRunner {
	return async (command, { signal, onOutput, onChunk }) => {
		using sink = new OutputSink({ tool: "bash", artifacts });
		using live = liveUpdates(() => onOutput?.(sink.summary().text));
		let ended: Ended & { problem?: string };
		try {
			ended = await start(command, signal, (chunk) => {
				sink.push(chunk);
				onChunk?.(chunk);
				live.changed();
			});
		} catch (error) {
			const problem = error instanceof Error ? error.message : String(error);
			ended = { exitCode: undefined, cancelled: signal.aborted, problem };
		}
		const { exitCode, cancelled, problem } = ended;
		return { ...outputOf(sink, { artifacts }, problem), exitCode, cancelled };
	};
}
