/** Finds the adapter for a program, and the command that starts it. */
import { delimiter, extname, join } from "node:path";

import { compileGlob, type Machine } from "@tau/sys";
import { abortable, withTimeout, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import type { AdapterRow } from "./adapter-row.ts";

export interface Surroundings {
	readonly machine: Machine;
	readonly cwd: string;
	readonly env: Env;
}

export type Command = readonly [program: string, ...args: string[]];

/** The adapters that may debug a program: by its extension, by what it was built from, or those for executables. */
export async function adaptersFor(
	rows: readonly AdapterRow[],
	program: string,
	{ machine }: Pick<Surroundings, "machine">,
	signal: AbortSignal,
): Promise<AdapterRow[]> {
	const named = rows.filter(({ files }) => files.includes(extname(program).toLowerCase()));
	if (named.length > 0) return named;
	const native = rows.filter((row) => row.native);
	if (program === "") return native;
	const head = await machine.files
		.read(program, { maxBytes: limits.headBytes, range: { start: 0, end: limits.headBytes }, signal })
		.catch(() => undefined);
	return [...(head ? rows.filter((row) => row.builtFrom?.(head)) : []), ...native];
}

export interface Lookup {
	readonly command?: Command;
	/** Why there is none, if there is more to say than that it is not installed. */
	readonly reason?: string;
}

/** The command with the program's path; without it, the adapter is not installed, or too old. */
export async function findAdapter(
	row: AdapterRow,
	place: Surroundings,
	signal: AbortSignal,
): Promise<Lookup> {
	const [program, ...args] = row.command;
	let reason: string | undefined;
	for (const name of [program, ...(row.alsoCalled ?? [])]) {
		const paths = name.includes("/") ? [name] : directories(place).map((directory) => join(directory, name));
		for (const path of new Set(paths)) {
			if (!(await isFile(path, place))) continue;
			const problem = await problemOf(row, path, place, signal);
			if (problem === undefined) return { command: [path, ...args] };
			reason ??= problem === "" ? undefined : `${path} is ${problem}`;
		}
	}
	const command = await inEditors(row, args, place);
	return command ? { command } : reason === undefined ? {} : { reason };
}

async function isFile(path: string, { machine }: Surroundings): Promise<boolean> {
	const stat = await machine.files.stat(path).catch(() => undefined);
	return stat?.kind === "file";
}

/** Where editors keep it; a script needs the program that runs it. */
async function inEditors(
	{ alsoAt = [], scriptRunner }: AdapterRow,
	args: readonly string[],
	place: Surroundings,
): Promise<Command | undefined> {
	const { HOME: home } = place.env;
	if (!home) return undefined;
	for (const pattern of alsoAt) {
		for (const path of await expand(home, pattern.split("/"), place)) {
			if (!(await isFile(path, place))) continue;
			if (scriptRunner === undefined) return [path, ...args];
			const runners = directories(place).map((directory) => join(directory, scriptRunner));
			for (const runner of runners) if (await isFile(runner, place)) return [runner, path, ...args];
		}
	}
	return undefined;
}

/** The paths of a pattern whose parts may have a `*`, for a version: the newest first. */
async function expand(
	directory: string,
	[part, ...rest]: readonly string[],
	place: Surroundings,
): Promise<string[]> {
	if (part === undefined) return [directory];
	if (!part.includes("*")) return expand(join(directory, part), rest, place);
	const matches = compileGlob(part);
	const entries = await place.machine.files.list(directory).catch(() => []);
	const names = entries.map(({ name }) => name).filter((name) => matches(name));
	const newestFirst = names.toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
	return (await Promise.all(newestFirst.map((name) => expand(join(directory, name), rest, place)))).flat();
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

/** Why it cannot be used: "" if there is nothing to say, such as for a Python without debugpy. */
async function problemOf(
	{ probe }: AdapterRow,
	path: string,
	place: Surroundings,
	signal: AbortSignal,
): Promise<string | undefined> {
	if (!probe) return undefined;
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
	if (end?.exitCode !== 0) return "";
	// The first version that it prints is its own.
	const [version = "0", major = "0"] = /(\d+)\.\d+/.exec(text) ?? [];
	if (probe.atLeast === undefined || Number(major) >= probe.atLeast) return undefined;
	return `version ${version}, and ${probe.atLeast} is needed`;
}

function variables(env: Env): Record<string, string> {
	return Object.fromEntries(
		Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
	);
}
