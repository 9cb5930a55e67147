/** Starts a session without a terminal in a process of its own. */
import { closeSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

import { dirs, isRecord, timer } from "@tau/utils";

import { limits } from "../local/limits.ts";
import { ownProgram } from "../local/own-program.ts";
import type { OpenedSession, OpenRequest } from "../local/protocol.ts";

/** Tells a process that it is a session without a terminal: `1`, or `owned` if it ends with the process that started it. */
export const detachedVariable = "TAU_DETACHED";

/** The API key of such a session, as `--api-key`, which every user of the machine could read. */
export const keyVariable = "TAU_DETACHED_KEY";

export function daemonLog(): string {
	return join(dirs().logs, "daemon.log");
}

/** Opens the log for a process that has no terminal; a long one becomes that of yesterday. */
export function openDaemonLog(): number {
	const file = daemonLog();
	mkdirSync(dirs().logs, { recursive: true, mode: 0o700 });
	if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > limits.daemonLogBytes)
		renameSync(file, `${file}.1`);
	return openSync(file, "a", 0o600);
}

/**
 * The prompts are the first line of its input. An owned session reads on, and ends with its input: the kernel closes that
 * when its owner is gone, however that ended.
 */
export function spawnSession({ argv, cwd, env, prompts }: OpenRequest, kind: "1" | "owned") {
	const file = openDaemonLog();
	try {
		const child = Bun.spawn([...ownProgram(), "--mode", "rpc", ...argv], {
			cwd,
			env: { ...env, [detachedVariable]: kind },
			stdin: "pipe",
			// Only for the first line: nobody may be there to read more.
			stdout: "pipe",
			stderr: file,
			// A session of its own: no signal of a terminal, and none to the daemon's group, ends it.
			detached: true,
		});
		child.stdin.write(`${JSON.stringify(prompts)}\n`);
		void (kind === "owned" ? child.stdin.flush() : child.stdin.end());
		return child;
	} finally {
		closeSync(file);
	}
}

export type SessionProcess = ReturnType<typeof spawnSession>;

/** Resolves when it can be joined. Rejects with why it could not be opened. */
export async function untilJoinable(child: SessionProcess): Promise<OpenedSession> {
	const late = timer(limits.sessionStartMs, () => child.kill());
	try {
		let text = "";
		const decoder = new TextDecoder();
		for await (const chunk of child.stdout) {
			text += decoder.decode(chunk, { stream: true });
			if (text.includes("\n") || text.length > limits.registrationBytes) break;
		}
		const said: unknown = text.includes("\n") ? JSON.parse(text) : undefined;
		if (isRecord(said) && isRecord(said.ready)) return said.ready as unknown as OpenedSession;
		const reason = isRecord(said) && typeof said.failed === "string" ? said.failed : undefined;
		throw new Error(reason ?? `The session did not start. The log is ${daemonLog()}.`);
	} finally {
		late[Symbol.dispose]();
	}
}
