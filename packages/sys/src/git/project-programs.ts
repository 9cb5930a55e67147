/**
 * Programs of a repository's settings that are files of the project itself, such as `filter.x.clean = tools/f.sh`, or that
 * load files of the directory they start in, such as `python -m nbstripout`. A command in the sandbox can change these, and
 * Tau's own git runs outside of it: so they never run for Tau.
 */
import { existsSync } from "node:fs";
import { basename, isAbsolute, relative, resolve } from "node:path";

import { expandHome } from "@tau/utils";

export interface ProjectProgram {
	/** The setting: `filter.x.clean`. */
	readonly key: string;
	/** `tools/f.sh of the project`, or `python3 with files of the project`. */
	readonly runs: string;
}

/** The settings that name programs which git runs for a command of Tau; others are switched off by the guards. */
export const programSettings =
	"^(filter\\..*\\.(clean|smudge|process)|merge\\..*\\.driver|gpg\\.program|gpg\\..*\\.program)$";

/** Commands that compare or write files of the work tree, and so run filters. */
const converting = new Set([
	"status",
	"diff",
	"diff-files",
	"diff-index",
	"update-index",
	"add",
	"am",
	"apply",
	"archive",
	"checkout",
	"checkout-index",
	"cat-file",
	"cherry-pick",
	"commit",
	"hash-object",
	"merge",
	"merge-file",
	"merge-tree",
	"pull",
	"read-tree",
	"rebase",
	"reset",
	"restore",
	"revert",
	"rm",
	"stash",
	"switch",
	"worktree",
]);

/** Those that only show something: without a filter a file may appear as changed, and nothing is stored. */
const comparing = new Set(["status", "diff", "diff-files", "diff-index"]);

export function runsPrograms([command = "", ...rest]: readonly string[]): boolean {
	return converting.has(command) && (command !== "cat-file" || rest.includes("--filters"));
}

/** From the output of `git config --null --get-regexp`. */
export function programsIn(output: string, root: string, home: string | undefined): ProjectProgram[] {
	return output.split("\0").flatMap((entry): ProjectProgram[] => {
		const at = entry.indexOf("\n");
		if (at < 0) return [];
		const command = entry.slice(at + 1);
		const words = command
			.replaceAll(/["'\\]/g, "")
			.split(/[\s;|&<>()=`]+/)
			.filter(Boolean);
		const runs = fileIn(words, root, home) ?? loaderIn(words, root);
		return runs === undefined ? [] : [{ key: entry.slice(0, at), runs }];
	});
}

/** A name without a slash is found on PATH, where no directory of the project counts. */
function fileIn(words: readonly string[], root: string, home: string | undefined): string | undefined {
	for (const word of words) {
		const path = resolve(root, expandHome(word, home));
		if (isInside(path, root) && existsSync(path)) return `${relative(root, path)} of the project`;
	}
	return undefined;
}

function isInside(path: string, root: string): boolean {
	const name = relative(root, path);
	return name !== "" && name !== ".." && !name.startsWith("../") && !isAbsolute(name);
}

/** They run what a file names that is not in the project, and otherwise what they find where they start. */
const interpreters = /^(?:python|pypy|node|perl|ruby|php|lua|bash|dash|sh|zsh|Rscript|java)[\d.]*$/;
/** They take programs, plugins or settings that are programs from there. */
const runners =
	/^(?:bun|bunx|deno|npm|npx|pnpm|pnpx|yarn|corepack|uv|uvx|poetry|pdm|hatch|pipenv|pipx|make|gmake|ninja|just|task|rake|bundle|cargo|go|dotnet|mvn|gradle|composer|jupyter(?:-\w+)?|ipython|prettier|eslint|pre-commit|nix-shell|direnv|mise)$/;

function loaderIn(words: readonly string[], root: string): string | undefined {
	for (const [at, word] of words.entries()) {
		const name = basename(word);
		const next = words[at + 1] ?? "";
		const isOutside = isAbsolute(next) && !isInside(next, root) && existsSync(next);
		if (runners.test(name) || (interpreters.test(name) && !isOutside))
			return `${name} with files of the project`;
	}
	return undefined;
}

/** Settings for this command that take the programs away, or why it does not run. */
export function withoutPrograms(
	command: string,
	programs: readonly ProjectProgram[],
): { ok: true; settings: readonly string[] } | { ok: false; message: string } {
	const [first] = programs;
	if (first && !comparing.has(command))
		return {
			ok: false,
			message: `${first.key} runs ${first.runs}, which a command may have changed: Tau does not run it. Run git ${command} yourself`,
		};
	const drivers = new Set(programs.flatMap(({ key }) => /^(filter\..*)\.\w+$/.exec(key)?.[1] ?? []));
	const settings = [...drivers].flatMap((driver) => [
		`${driver}.clean=`,
		`${driver}.smudge=`,
		`${driver}.process=`,
		`${driver}.required=false`,
	]);
	return { ok: true, settings };
}
