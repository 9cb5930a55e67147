/** Finds the Python of a project: its virtual environment, that of the user's shell, or the one on PATH. */
import { dirname, isAbsolute, join } from "node:path";

import type { MachineFiles } from "@tau/sys";
import { expandHome } from "@tau/utils";

import type { ToolEnv } from "@tau/tools/tool";

export interface PythonProgram {
	path: string;
	/** The virtual environment that it belongs to. */
	venv?: string;
}

type SearchEnv = Pick<ToolEnv, "cwd" | "env" | "settings"> & {
	machine: { files: Pick<MachineFiles, "stat" | "read"> };
};

/** Undefined when there is none. */
export async function findPython(from: SearchEnv): Promise<PythonProgram | undefined> {
	const { cwd, env, settings } = from;
	const chosen = settings.get("eval.pythonPath");
	if (chosen !== undefined) return { path: expandHome(chosen, env.HOME) };
	// uv and poetry make `.venv`; an environment that is active in the user's shell comes before it.
	const venvs = [
		env.VIRTUAL_ENV,
		env.CONDA_PREFIX && env.CONDA_DEFAULT_ENV !== "base" ? env.CONDA_PREFIX : undefined,
	];
	for (const venv of [...venvs, join(cwd, ".venv"), join(cwd, "venv")]) {
		if (venv === undefined || venv === "" || !isAbsolute(venv)) continue;
		const path = join(venv, "bin/python");
		if (await isFile(path, from)) return { path, venv };
	}
	for (const name of ["python3", "python"])
		for (const directory of (env.PATH ?? "").split(":")) {
			if (!isAbsolute(directory)) continue;
			const path = join(directory, name);
			if (await isFile(path, from)) return { path: (await behindShim(path, from)) ?? path };
		}
	return undefined;
}

/** A shim of pyenv is a shell script that takes far longer to start than Python does. */
async function behindShim(path: string, from: SearchEnv): Promise<string | undefined> {
	const shims = dirname(path);
	if (!shims.endsWith("/.pyenv/shims")) return undefined;
	const root = dirname(shims);
	const { cwd, env } = from;
	const files: string[] = [];
	for (let at = cwd; ; at = dirname(at)) {
		files.push(join(at, ".python-version"));
		if (at === dirname(at)) break;
	}
	let version = env.PYENV_VERSION;
	for (const file of [...files, join(root, "version")])
		version ||= await from.machine.files
			.read(file, { maxBytes: 1000, signal: AbortSignal.timeout(1000) })
			.then((bytes) => Buffer.from(bytes).toString("utf8").trim().split(/\s+/)[0])
			// The next file may name the version; otherwise the shim decides.
			.catch(() => undefined);
	if (!version || !/^[\w.+-]+$/.test(version)) return undefined;
	const real = join(root, "versions", version, "bin/python3");
	return (await isFile(real, from)) ? real : undefined;
}

async function isFile(path: string, { machine }: SearchEnv): Promise<boolean> {
	const facts = await machine.files.stat(path).catch(() => undefined);
	return facts?.kind === "file";
}
