/** Gets a key from the command in `apiKey: "!command"`: once per process, in bounded time, never into a log. */
import { tmpdir } from "node:os";

import { runShell } from "@tau/sys";
import { abortable, registerSecret, type Env } from "@tau/utils";

import { limits } from "./limits.ts";

export type KeyAnswer = { key: string } | { problem: string };

interface RunningCommand {
	answer: Promise<KeyAnswer>;
	/** The callers that wait for it; without any, it is stopped. */
	callers: number;
	stop: AbortController;
}

const commands = new Map<string, RunningCommand>();

export function isKeyCommand(apiKey: string): boolean {
	return apiKey.startsWith("!");
}

/**
 * The first caller starts the command, the others wait for it. Each can abort its own wait; the command is stopped when
 * nobody waits any more. A failed command is retried on the next call.
 */
export async function keyFromCommand(apiKey: string, env: Env, signal?: AbortSignal): Promise<KeyAnswer> {
	const running = commands.get(apiKey) ?? start(apiKey, env);
	running.callers++;
	try {
		return await abortable(running.answer, signal);
	} catch {
		return { problem: "it was aborted" };
	} finally {
		running.callers--;
		if (running.callers === 0) running.stop.abort();
	}
}

function start(apiKey: string, env: Env): RunningCommand {
	const stop = new AbortController();
	// A stopped command is over for the next caller, even before its process has ended.
	const forget = (): void => {
		if (commands.get(apiKey) === running) commands.delete(apiKey);
	};
	const answer = ask(apiKey.slice(1), env, stop.signal).then((result) => {
		if ("problem" in result) forget();
		else stop.signal.removeEventListener("abort", forget);
		return result;
	});
	const running: RunningCommand = { answer, callers: 0, stop };
	stop.signal.addEventListener("abort", forget, { once: true });
	commands.set(apiKey, running);
	return running;
}

async function ask(command: string, env: Env, signal: AbortSignal): Promise<KeyAnswer> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		const outcome = await runShell({
			// Standard error is discarded: it is not part of the key, and it might contain one.
			command: `exec 2>/dev/null\n${command}`,
			cwd: tmpdir(),
			env: Object.fromEntries(
				Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
			),
			timeoutMs: limits.keyCommandMs,
			signal,
			onOutput: (chunk) => {
				size += chunk.length;
				if (size > limits.keyBytes) throw new Error(`it printed more than ${limits.keyBytes} bytes`);
				chunks.push(chunk.slice());
			},
		});
		if (outcome.stopped === "timeout") return { problem: `it took longer than ${limits.keyCommandMs} ms` };
		if (outcome.exitCode !== 0) return { problem: `it exited with ${outcome.exitCode ?? outcome.killedBy}` };
	} catch (error) {
		return { problem: error instanceof Error ? error.message : String(error) };
	}
	const key = Buffer.concat(chunks).toString("utf8").trim();
	if (key === "") return { problem: "it printed nothing" };
	// A key is one word in a header; a second line would end the header.
	if (/[\s\p{Cc}]/u.test(key)) return { problem: "it printed more than a key" };
	registerSecret(key);
	return { key };
}
