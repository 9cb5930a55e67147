/** `tau shell`: gives the user the shell that the model's commands run in. */
import { writeSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline/promises";

import { commandEnvironment, rcSnapshot, ShellSession, type SessionOutcome } from "@tau/sys";
import { shortenHome } from "@tau/utils";

import type { Args } from "../args.ts";
import { printError } from "../print-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { onInterrupt } from "../signals.ts";

export async function runShellCommand({ flags }: Args): Promise<number> {
	const env = commandEnvironment(process.env);
	await using session = new ShellSession({ cwd: process.cwd(), env, snapshot: () => rcSnapshot({ env }) });
	const value = flags.get("command");
	if (value === undefined && process.stdin.isTTY) return await readCommands(session);
	using interruption = onInterrupt();
	const command = value ?? (await Bun.stdin.text());
	const code = await obey(session, command, interruption.signal);
	return interruption.exitCode ?? code;
}

/** Runs one line after the other, until `exit` or the end of the input. */
async function readCommands(session: ShellSession): Promise<number> {
	using lines = createInterface({ input: process.stdin, output: process.stdout });
	let running: AbortController | undefined;
	let code = 0;
	lines.on("SIGINT", () => {
		if (running) running.abort();
		else lines.write(null, { ctrl: true, name: "u" });
	});
	let isOpen = true;
	lines.on("close", () => {
		isOpen = false;
	});
	const ask = (): void => {
		// Lines that were typed before the end of the input may still be waiting.
		if (!isOpen) return;
		lines.setPrompt(`${shortenHome(session.cwd)} $ `);
		lines.prompt();
	};
	ask();
	for await (const line of lines) {
		const leaving = /^\s*exit(?:\s+(\d+))?\s*$/.exec(line);
		if (leaving) return Number(leaving[1] ?? code) & 0xff;
		if (line.trim() !== "") {
			running = new AbortController();
			code = await obey(session, line, running.signal);
			running = undefined;
		}
		ask();
	}
	return code;
}

async function obey(session: ShellSession, command: string, signal: AbortSignal): Promise<number> {
	const gone = new AbortController();
	let unwritten: string | undefined;
	try {
		const outcome = await session.run({
			command,
			timeoutMs: limits.shellMs,
			signal: AbortSignal.any([signal, gone.signal]),
			onOutput: (chunk) => {
				if (gone.signal.aborted) return;
				const end = print(chunk);
				if (end === "written") return;
				if (end !== "nobody reads") unwritten = end.problem;
				gone.abort();
			},
		});
		if (unwritten === undefined) return exitCodeOf(outcome);
		printError(`cannot write the output: ${unwritten}`);
		return exitCodes.failed;
	} catch (error) {
		printError(error instanceof Error ? error.message : String(error));
		return exitCodes.failed;
	}
}

/**
 * Writes the bytes unchanged: the user's terminal obeys what the user's command prints. Waits for a slow reader, so that
 * the command waits too.
 */
function print(chunk: Uint8Array): "written" | "nobody reads" | { problem: string } {
	for (let at = 0; at < chunk.length;) {
		try {
			at += writeSync(process.stdout.fd, chunk, at);
		} catch (error) {
			const code = error instanceof Error && "code" in error ? error.code : undefined;
			if (code === "EPIPE") return "nobody reads";
			if (code !== "EAGAIN") return { problem: error instanceof Error ? error.message : String(error) };
			Bun.sleepSync(limits.slowReaderMs);
		}
	}
	return "written";
}

/** Returns the exit code that shells use: 128 plus the number of the signal. */
function exitCodeOf({ exitCode, killedBy }: SessionOutcome): number {
	if (exitCode !== undefined) return exitCode;
	const numbers: Record<string, number> = constants.signals;
	return 128 + (numbers[killedBy ?? ""] ?? constants.signals.SIGTERM);
}
