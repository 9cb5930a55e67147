/** How the interpreter of each language is started. */
import { join } from "node:path";

import { commandEnvironment, type ProgramStart } from "@tau/sys";
import { dirs, envFlag, envNames } from "@tau/utils";

import type { ToolEnv } from "@tau/tools/tool";
import { languageNames, type Language } from "./language-names.ts";
import { limits } from "./limits.ts";
import { findPython } from "./python/find-python.ts";
import runner from "./python/runner.py" with { type: "text" };

const switches = {
	python: { setting: "eval.py", variable: "TAU_PY" },
	js: { setting: "eval.js", variable: "TAU_JS" },
} as const;

/** Why there are no cells of this language; undefined if there are. */
export function disabledReason(
	language: Language,
	{ env, settings }: Pick<ToolEnv, "env" | "settings">,
): string | undefined {
	const { setting, variable } = switches[language];
	const set = envNames(variable).find((name) => env[name]);
	if (set !== undefined ? envFlag(variable, env) : settings.get(setting)) return undefined;
	return `Cells of ${languageNames[language]} are disabled (${set ?? setting}).`;
}

/** Rejects with a readable reason when there is no interpreter. */
export async function programOf(language: Language, env: ToolEnv): Promise<ProgramStart> {
	const base = commandEnvironment(env.env);
	if (language === "js") return { command: jsCommand(), cwd: env.cwd, env: { ...base, TAU_WORKER: "eval" } };
	const python = await findPython(env);
	if (!python)
		throw new Error(
			"There is no Python: no virtual environment, and no python3 on PATH. Install it, or set eval.pythonPath.",
		);
	const { path, venv } = python;
	return {
		command: [path, "-X", "utf8", "-c", runner],
		cwd: env.cwd,
		env: {
			...base,
			MPLBACKEND: "agg",
			...(venv === undefined ? {} : { VIRTUAL_ENV: venv, PATH: `${join(venv, "bin")}:${base.PATH ?? ""}` }),
		},
	};
}

/** Tau's own executable, which brings Bun. */
function jsCommand(): ProgramStart["command"] {
	if (Bun.isStandaloneExecutable) return [process.execPath, "worker", "eval"];
	return [process.execPath, join(import.meta.dir, "js/runner.ts")];
}

/**
 * Files of Python that every interpreter of the session loads: the user's, and those of a trusted project, which win.
 * Those that were written for omp come before them.
 */
export async function modulesOf(language: Language, env: ToolEnv): Promise<string[]> {
	if (language !== "python") return [];
	const { home, agent } = dirs(env.env);
	const fromOmp = env.settings.get("discovery.disabled").includes("omp") ? [] : [".omp/modules"];
	const folders = [...fromOmp.map(() => join(home, ".omp/agent/modules")), join(agent, "modules")];
	if (env.isTrusted()) folders.push(...[...fromOmp, ".tau/modules"].map((folder) => join(env.cwd, folder)));
	const modules = new Map<string, string>();
	for (const folder of folders) {
		// Most users have no such folder.
		const entries = await env.machine.files.list(folder).catch(() => []);
		for (const { name } of entries) if (name.endsWith(".py")) modules.set(name, join(folder, name));
	}
	return [...modules.values()].slice(0, limits.modules);
}
