/** Reaches a server through lspmux, a program of the user that shares servers with editors, if it runs. */
import { basename } from "node:path";

import type { Machine } from "@tau/sys";
import { envFlag, timer, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { findProgram } from "./locate.ts";

/** Servers that are known to work with it; Tau shares the others itself. */
const supported = new Set(["rust-analyzer"]);
const lspmux = { name: "lspmux", files: {}, roots: [], command: ["lspmux"], install: "" } as const;

export interface LspmuxOptions {
	command: readonly [string, ...string[]];
	root: string;
	machine: Machine;
	env: Env;
}

/** The command line of its client; undefined where the server is to be started directly. */
export async function lspmuxCommand({
	command: [program, ...args],
	root,
	machine,
	env,
}: LspmuxOptions): Promise<readonly [string, ...string[]] | undefined> {
	if (!supported.has(basename(program)) || envFlag("TAU_DISABLE_LSPMUX", env)) return undefined;
	// It runs servers as the user: what is to be contained must not leave that way.
	if ((await machine.shell.boundary?.()) !== "none") return undefined;
	const found = await findProgram(machine.files, lspmux, root, env);
	if (!found || !(await isRunning(found[0], root, machine, env))) return undefined;
	return [found[0], "client", "--server-path", program, ...(args.length > 0 ? ["--", ...args] : [])];
}

/** `lspmux status` fails where its server does not run. */
async function isRunning(program: string, cwd: string, machine: Machine, env: Env): Promise<boolean> {
	const variables = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
	try {
		const command = [program, "status"] as const;
		await using status = await machine.shell.start({ command, cwd, env: Object.fromEntries(variables) });
		status.output.resume();
		status.errors.resume();
		using _late = timer(limits.lspmuxMs, () => void status.kill());
		return (await status.exited).exitCode === 0;
	} catch {
		// It cannot be started: then it is not there.
		return false;
	}
}
