/** The machine that this process runs on. */
import type { Stats } from "node:fs";
import { lstat, readlink, realpath, stat } from "node:fs/promises";

import { PtySession } from "../pty/index.ts";
import { search } from "../search/index.ts";
import { rcSnapshot, runShell, ShellSession } from "../shell/index.ts";
import { fuzzyFind, glob, invalidateScans, listDirectory } from "../walk/index.ts";
import { commit } from "./commit.ts";
import type { FileFacts, Machine, MachineFiles, MachineShell } from "./machine.ts";
import { openFile, readFile } from "./opened-file.ts";
import { readEntry, readTextFileOrNone } from "./text-file.ts";

const files: MachineFiles = {
	stat: async (path) => factsOf(await unlessMissing(stat(path))),
	async lstat(path) {
		const facts = factsOf(await unlessMissing(lstat(path)));
		if (facts?.kind !== "link") return facts;
		// The link may be gone meanwhile.
		const linkTarget = await readlink(path).catch(() => undefined);
		return linkTarget === undefined ? facts : { ...facts, linkTarget };
	},
	realpath: (path) => realpath(path),
	open: openFile,
	read: readFile,
	list: listDirectory,
	glob,
	fuzzyFind,
	search,
	// One small file is read faster without the thread pool, and nothing else may come between.
	readText: async (shown, path) => readTextFileOrNone(shown, path),
	readEntry: async (shown, path) => readEntry(shown, path),
	commit,
	noteChange: (_origin, path) => invalidateScans(path),
	localPath: (path) => path,
};

const shell: MachineShell = {
	session: ({ cwd, env, rcCacheDir }) =>
		new ShellSession({
			cwd,
			env,
			...(rcCacheDir === undefined ? {} : { snapshot: () => rcSnapshot({ env, cacheDir: rcCacheDir }) }),
		}),
	pty: () => new PtySession(),
	run: runShell,
};

const machine: Machine = { where: { kind: "local", label: "this machine" }, files, shell };

/** It keeps nothing: what belongs to a session is added by decorators. */
export function localMachine(): Machine {
	return machine;
}

async function unlessMissing(info: Promise<Stats>): Promise<Stats | undefined> {
	try {
		return await info;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

function factsOf(info: Stats | undefined): FileFacts | undefined {
	if (!info) return undefined;
	const kind = info.isFile()
		? "file"
		: info.isDirectory()
			? "directory"
			: info.isSymbolicLink()
				? "link"
				: "other";
	return { kind, size: info.size, mtimeMs: info.mtimeMs };
}
