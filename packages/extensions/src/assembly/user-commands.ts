/** Runs the user's own commands in the shell of the tools, or where an extension wants them run. */
import type { CommandOutcome, CommandRunner } from "@tau/session/host";
import { shellService } from "@tau/tools/bash";
import { liveUpdates, OutputSink } from "@tau/tools/output";
import type { ToolEnv } from "@tau/tools/tool";

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

export function runUserCommand(env: ToolEnv): CommandRunner {
	return runner(env, async (command, signal, onOutput) => {
		const shell = env.services.get(shellService, env);
		const { exitCode, stopped } = await shell.run({
			command,
			timeoutMs: limits.userCommandMs,
			signal,
			onOutput,
		});
		return { exitCode, cancelled: stopped !== undefined };
	});
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
		const { text, truncated } = sink.summary();
		const output = ended.problem === undefined ? text : [text, ended.problem].filter(Boolean).join("\n");
		return { output, exitCode: ended.exitCode, cancelled: ended.cancelled, truncated };
	};
}
