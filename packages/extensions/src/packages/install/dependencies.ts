/** Installs the dependencies of a package with Bun's package manager, without running any scripts. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { dirs, type Env } from "@tau/utils";

import { limits } from "../limits.ts";
import { checkTree } from "./check-tree.ts";
import { registryFor } from "./npmrc.ts";
import { runProcess } from "./run-process.ts";

export interface DependencyRequest {
	/** The name of the package, for messages. */
	name: string;
	dependencies: ReadonlyMap<string, string>;
	/** A folder of the store, with the package in `package`. */
	directory: string;
	env: Env;
	signal?: AbortSignal | undefined;
}

/** Installs into a separate directory, so that the package's registry and script settings are not read. */
export async function installDependencies(request: DependencyRequest): Promise<void> {
	const { name, dependencies, directory, env, signal } = request;
	const own = join(directory, "package", "node_modules");
	// Dependencies that are part of the archive stay unchanged.
	const missing = [...dependencies].filter(([dependency]) => !existsSync(join(own, dependency)));
	if (missing.length === 0) return;
	const side = join(directory, "dependencies");
	mkdirSync(side);
	const manifest = { name: "tau-package", private: true, dependencies: Object.fromEntries(missing) };
	writeFileSync(join(side, "package.json"), JSON.stringify(manifest));
	const { home, cache } = dirs(env);
	await runProcess({
		name: `bun install for ${name}`,
		// The program itself is Bun; a compiled one acts as Bun too if `BUN_BE_BUN` is set.
		command: [process.execPath, "install", ...flags],
		cwd: side,
		env,
		more: {
			BUN_BE_BUN: "1",
			BUN_INSTALL_CACHE_DIR: join(cache, "packages"),
			NPM_CONFIG_REGISTRY: registryFor("", env, home).url,
		},
		ms: limits.dependenciesMs,
		signal,
	});
	moveInto(join(side, "node_modules"), own);
	rmSync(side, { recursive: true, force: true });
	checkTree(name, join(directory, "package"));
}

const flags = [
	"--ignore-scripts",
	"--production",
	"--omit=peer",
	"--linker=hoisted",
	"--no-save",
	"--no-progress",
	"--no-summary",
	"--no-env-file",
];

function moveInto(from: string, to: string): void {
	if (!existsSync(from)) return;
	for (const entry of readdirSync(from)) {
		const names = entry.startsWith("@")
			? readdirSync(join(from, entry)).map((name) => join(entry, name))
			: [entry];
		for (const name of names) {
			if (existsSync(join(to, name))) continue;
			mkdirSync(dirname(join(to, name)), { recursive: true });
			renameSync(join(from, name), join(to, name));
		}
	}
}
