/** Finds the adapter for a program, and the command that starts it. */
import { delimiter, extname, join } from "node:path";

import type { Machine } from "@tau/sys";
import { abortable, withTimeout, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import type { AdapterRow } from "./adapter-row.ts";

export interface Surroundings {
	readonly machine: Machine;
	readonly cwd: string;
	readonly env: Env;
}

export type Command = readonly [program: string, ...args: string[]];

/** The adapters that may debug a program: by its extension, or those for executables. */
export function adaptersFor(rows: readonly AdapterRow[], program: string): AdapterRow[] {
	const named = rows.filter(({ files }) => files.includes(extname(program).toLowerCase()));
	return named.length > 0 ? named : rows.filter(({ native }) => native);
}

/** The command with the program's path; undefined if the adapter is not installed. */
export async function findAdapter(
	row: AdapterRow,
	place: Surroundings,
	signal: AbortSignal,
): Promise<Command | undefined> {
	const [program, ...args] = row.command;
	for (const name of [program, ...(row.alsoCalled ?? [])]) {
		const paths = name.includes("/") ? [name] : directories(place).map((directory) => join(directory, name));
		for (const path of new Set(paths)) {
			const stat = await place.machine.files.stat(path).catch(() => undefined);
			if (stat?.kind === "file" && (await passes(row, path, place, signal))) return [path, ...args];
		}
	}
	return undefined;
}

/** The project's own before the user's; the system's last, also where a version manager hides it. */
function directories({ cwd, env }: Surroundings): string[] {
	const home = env.HOME;
	return [
		...[env.VIRTUAL_ENV, join(cwd, ".venv"), join(cwd, "venv")].flatMap((directory) =>
			directory ? [join(directory, "bin")] : [],
		),
		...(env.PATH ?? "").split(delimiter).filter(Boolean),
		...(home ? ["go/bin", ".local/bin", ".local/share/nvim/mason/bin"].map((each) => join(home, each)) : []),
		"/usr/bin",
	];
}

async function passes(
	{ probe }: AdapterRow,
	path: string,
	place: Surroundings,
	signal: AbortSignal,
): Promise<boolean> {
	if (!probe) return true;
	let text = "";
	await using program = await place.machine.shell.start({
		command: [path, ...probe.args],
		cwd: place.cwd,
		env: variables(place.env),
	});
	program.errors.resume();
	program.output.on("data", (chunk: Buffer) => {
		if (text.length < limits.probeChars) text += chunk.toString();
	});
	using deadline = withTimeout(signal, limits.probeMs, "no answer");
	const end = await abortable(program.exited, deadline.signal).catch(() => undefined);
	signal.throwIfAborted();
	if (end?.exitCode !== 0) return false;
	const [, version = "0"] = /(\d+)\.\d+/.exec(text) ?? [];
	return probe.atLeast === undefined || Number(version) >= probe.atLeast;
}

export function variables(env: Env): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
	);
}
