/**
 * Programs of a repository's settings that are files of the project itself, such as `filter.x.clean = tools/f.sh`. A
 * command in the sandbox can change these, and Tau's own git runs outside of it: so they never run for Tau.
 */
import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";

import { expandHome } from "@tau/utils";

export interface ProjectProgram {
	/** The setting: `filter.x.clean`. */
	readonly key: string;
	/** The file that it runs, relative to the root of the repository. */
	readonly file: string;
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
	"cherry-pick",
	"commit",
	"hash-object",
	"merge",
	"merge-file",
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

export function runsPrograms(command: string): boolean {
	return converting.has(command);
}

/** From the output of `git config --null --get-regexp`. */
export function programsIn(output: string, root: string, home: string | undefined): ProjectProgram[] {
	return output.split("\0").flatMap((entry): ProjectProgram[] => {
		const at = entry.indexOf("\n");
		if (at < 0) return [];
		const file = fileIn(entry.slice(at + 1), root, home);
		return file === undefined ? [] : [{ key: entry.slice(0, at), file }];
	});
}

/** A name without a slash is found on PATH, where no directory of the project counts. */
function fileIn(command: string, root: string, home: string | undefined): string | undefined {
	for (const word of command.replaceAll(/["'\\]/g, "").split(/[\s;|&<>()=`]+/)) {
		if (word === "") continue;
		const path = resolve(root, expandHome(word, home));
		const name = relative(root, path);
		const isInside = name !== "" && name !== ".." && !name.startsWith("../") && !isAbsolute(name);
		if (isInside && existsSync(path)) return name;
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
			message: `${first.key} runs ${first.file} of the project, which a command may have changed: Tau does not run it. Run git ${command} yourself`,
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
