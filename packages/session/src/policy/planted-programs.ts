/** Programs that a command finds in the project: a directory of it may be on PATH, such as an activated `.venv/bin`. */
import { accessSync, constants, statSync } from "node:fs";
import { join, resolve } from "node:path";

import type { CommandFacts, ProgramRun } from "@tau/sys/commands";

import { isWithin, realPath } from "./real-path.ts";

/** The directories of a search path in which a call may write unasked. An empty or relative one is in the project. */
export function openDirectories(
	searchPath: readonly string[],
	cwd: string,
	roots: readonly string[],
): string[] {
	const paths = new Set(searchPath.map((entry) => resolve(cwd, entry)));
	return [...paths].filter((path) => {
		const real = realPath(path);
		return roots.some((root) => isWithin(real, root));
	});
}

const packers = ["gzip", "bzip2", "xz", "zstd", "lzma", "lzip", "lzop", "lz4", "compress", "brotli", "sh"];
const scripted = ["sh", "bash", "sed", "grep", "expr", "cat", "rm", "mktemp", "basename", "dirname", "uname"];

/** Programs that others look for on PATH: those that unpack, and the interpreters of scripts (`#!/usr/bin/env node`). */
const helpers: readonly (readonly [programs: RegExp, names: readonly string[]])[] = [
	[/^(?:g?tar|rg|file|zip|unzip)$/, packers],
	[/^(?:z|bz|xz|gz|lz|zst)(?:e|f)?(?:cat|grep)$|^zstdcat$|^lz4cat$/, [...packers, ...scripted]],
	[/^git$/, [...scripted, "gettext", "envsubst", "gpg", "gzip", "less", "ssh", "git-lfs"]],
	[
		/^(?:man|whatis|apropos)$/,
		[...packers, "groff", "nroff", "troff", "tbl", "preconv", "less", "col", "zsoelim"],
	],
	[/^(?:npm|npx|tsc|eslint|prettier|pnpm|yarn|biome)$/, ["node", "env"]],
	[/^(?:yq|pip3?|pipx|black|mypy|meson|aws|conda|ranger)$/, ["jq", "python", "python3", "env"]],
	[/^dpkg$/, ["dpkg-query", "dpkg-deb"]],
	[/^go$/, ["gcc", "g++", "cc", "c++", "clang", "clang++", "pkg-config", "gfortran", "git"]],
	[/^(?:gem|brew)$/, ["ruby", "env", ...scripted, "git"]],
	[
		/^(?:apt|apt-cache|which|whereis|sdiff|diff3?|fd|fdfind|bat|batcat|journalctl|systemctl|ldd|lsd|eza)$/,
		["dpkg", "diff", "pr", "ls", "less", "sh"],
	],
];

/** What is there is not the program that is known by this name, or one that it starts. */
export function asPlanted(run: ProgramRun, directories: readonly string[]): ProgramRun {
	if (run.effect === "exec" || directories.length === 0) return run;
	const own = run.argv[0] === run.name ? [run.name] : [];
	const started = helpers.flatMap(([programs, names]) => (programs.test(run.name) ? names : []));
	const isThere = [...own, ...started].some((name) =>
		directories.some((directory) => isProgram(join(directory, name))),
	);
	return isThere ? { ...run, effect: "exec" } : run;
}

/** Whether the command itself puts programs there. */
export function plants({ writes }: CommandFacts, directories: readonly string[]): boolean {
	return directories.some((directory) => {
		const places = [directory, realPath(directory)];
		return writes.some(({ path, isTree = false }) =>
			places.some(
				(place) => path !== undefined && (isWithin(path, place) || (isTree && isWithin(place, path))),
			),
		);
	});
}

function isProgram(path: string): boolean {
	try {
		if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		// The shell cannot start it either.
		return false;
	}
}
