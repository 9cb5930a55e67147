/** Flags of the whole program, not of a part of it: no server requests, no trust in the project. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";

import { dirs, expandHome, UsageError } from "@tau/utils";
import type { Args } from "./args.ts";

/** Where Tau was started; the flags may be applied twice. */
const startedIn = process.cwd();

function enter(directory: string): void {
	const path = resolve(startedIn, expandHome(directory));
	if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
		throw new UsageError(`--cwd ${directory}: not a directory.`);
	process.chdir(path);
	// Programs that Tau starts read it.
	process.env.PWD = path;
}

/** Whether the command stores something, and so may create a profile. */
function mayCreateProfile(command: string | undefined, operands: readonly string[]): boolean {
	return command === "login" || (command === "config" && operands[0] === "set");
}

/** A misspelled name must not start a run with other settings and no logins. */
function useProfile(named: string | undefined, mayCreate: boolean): void {
	const name = named ?? (process.env.TAU_PROFILE || undefined);
	if (name !== undefined && !/^\w[\w.-]*$/.test(name))
		throw new UsageError(
			`${named === undefined ? "TAU_PROFILE=" : "--profile "}${name}: a name has letters, digits, dots and dashes.`,
		);
	// Inherited by Tau processes that extensions spawn.
	if (named !== undefined) process.env.TAU_PROFILE = named;
	const { profile } = dirs();
	if (profile === undefined || mayCreate || existsSync(profile)) return;
	throw new UsageError(
		`There is no profile "${name}". Create it with tau login --profile ${name} or tau config set … --profile ${name}.`,
	);
}

/** Must be called before anything reads a project or sends a request to a server. */
export async function applyRunFlags({
	flags,
	repeated,
	command,
	operands,
}: Pick<Args, "flags" | "repeated" | "command" | "operands">): Promise<void> {
	useProfile(flags.get("profile"), mayCreateProfile(command, operands));
	const directory = flags.get("cwd");
	if (directory !== undefined) enter(directory);
	// Inherited by Tau processes that extensions spawn.
	if (flags.has("offline")) process.env.TAU_OFFLINE = "1";
	const sandbox = flags.get("sandbox");
	if (sandbox !== undefined) process.env.TAU_SANDBOX = sandbox;
	if (flags.has("no-pty")) process.env.TAU_NO_PTY = "1";
	for (const flag of ["skill", "prompt-template", "theme"] as const) {
		const missing = repeated?.get(flag)?.find((path) => !existsSync(resolve(expandHome(path))));
		const name = flag === "theme" ? "; --use-theme takes a name" : "";
		if (missing !== undefined)
			throw new UsageError(`--${flag}: ${missing} does not exist. Give a file or a directory${name}.`);
	}
	if (flags.has("ask-trust") && flags.get("mode") !== "rpc")
		throw new UsageError("--ask-trust is for --mode rpc. On a terminal Tau asks anyway.");
	if (!flags.has("no-approve")) return;
	if (flags.has("trust")) throw new UsageError("--trust and --no-approve cannot be combined.");
	const { decideForRun } = await import("@tau/extensions/trust");
	decideForRun(process.cwd(), false);
}
