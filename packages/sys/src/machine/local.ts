/** The machine that this process runs on. */
import { readlinkSync, realpathSync, type Stats } from "node:fs";
import { lstat, readlink, stat } from "node:fs/promises";

import { PtySession } from "../pty/index.ts";
import { search, searchUnlinked } from "../search/index.ts";
import { rcSnapshot, runShell, ShellSession, startProgram, type CurrentLauncher } from "../shell/index.ts";
import {
	checkUnlinked,
	fuzzyFind,
	glob,
	invalidateScans,
	listDirectory,
	listUnlinked,
	heldStats,
	PathMoved,
} from "../walk/index.ts";
import { commit } from "./commit.ts";
import type { FileFacts, Machine, MachineFiles, MachineShell, MachineShellOptions } from "./machine.ts";
import { openFile, openUnlinkedFile, readFile, readUnlinkedFile } from "./opened-file.ts";
import { readEntry, readTextFileOrNone, readUnlinkedEntry, readUnlinkedText } from "./text-file.ts";

const files: MachineFiles = {
	async stat(path) {
		try {
			return factsOf(await stat(path));
		} catch (error) {
			return missing(error);
		}
	},
	async lstat(path) {
		try {
			const info = await lstat(path);
			return info.isSymbolicLink() ? await linkFacts(path, info) : factsOf(info);
		} catch (error) {
			return missing(error);
		}
	},
	// A few directory entries are cached by the kernel: the thread pool would take longer.
	realpath: async (path) => realpathSync(path),
	open: openFile,
	read: readFile,
	list: listDirectory,
	glob,
	fuzzyFind,
	search,
	// A small file is read faster without the thread pool, and atomically with respect to other tasks.
	readText: async (shown, path) => readTextFileOrNone(shown, path),
	readEntry: async (shown, path) => readEntry(shown, path),
	// Reading has resolved the path, and nothing is written anywhere else.
	commit,
	noteChange: (_origin, path) => invalidateScans(path),
	localPath: (path) => path,
	unlinked: () => unlinkedFiles,
};

/** Each checks what it has opened: a path that leads elsewhere by then is refused. */
const unlinkedFiles: MachineFiles = {
	...files,
	async stat(path) {
		const info = heldInfo(path);
		if (info?.isSymbolicLink()) throw new PathMoved(path);
		return info && factsOf(info);
	},
	async lstat(path) {
		const info = heldInfo(path);
		if (!info?.isSymbolicLink()) return info && factsOf(info);
		return { ...factsOf(info), linkTarget: readlinkSync(path) };
	},
	async realpath(path) {
		checkUnlinked(path);
		return path;
	},
	open: openUnlinkedFile,
	read: readUnlinkedFile,
	list: listUnlinked,
	glob: (options) => glob({ ...options, isUnlinked: true }),
	fuzzyFind: (options) => fuzzyFind({ ...options, isUnlinked: true }),
	search: searchUnlinked,
	readText: async (shown, path) => readUnlinkedText(shown, path),
	readEntry: async (shown, path) => readUnlinkedEntry(shown, path),
};

const shell: MachineShell = {
	session: (options) => localSession(options),
	pty: () => new PtySession(),
	run: runShell,
	start: startProgram,
	boundary: async () => "none",
};

/** The environment is read when a shell starts, and not before. */
export function localSession(options: MachineShellOptions, launcher?: () => CurrentLauncher): ShellSession {
	const { cwd, program, rcCacheDir } = options;
	return new ShellSession({
		cwd,
		get env() {
			return options.env;
		},
		...(launcher === undefined ? {} : { launcher }),
		...(program === undefined ? {} : { program }),
		...(rcCacheDir === undefined
			? {}
			: { snapshot: () => rcSnapshot({ env: options.env, cacheDir: rcCacheDir }) }),
	});
}

const machine: Machine = { where: { kind: "local", label: "this machine" }, files, shell };

/** It is stateless: decorators add what belongs to a session. */
export function localMachine(): Machine {
	return machine;
}

/** Undefined if the file does not exist; throws any other error. */
function missing(error: unknown): undefined {
	if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	return undefined;
}

/** Of the file or link at this path, whose directories are no links. */
function heldInfo(path: string): Stats | undefined {
	try {
		return heldStats(path);
	} catch (error) {
		return missing(error);
	}
}

async function linkFacts(path: string, info: Stats): Promise<FileFacts & { linkTarget?: string }> {
	// The link may have been deleted meanwhile.
	const linkTarget = await readlink(path).catch(() => undefined);
	return { ...factsOf(info), ...(linkTarget === undefined ? {} : { linkTarget }) };
}

function factsOf(info: Stats): FileFacts {
	return { kind: kindOf(info), size: info.size, mtimeMs: info.mtimeMs };
}

function kindOf(info: Stats): FileFacts["kind"] {
	if (info.isFile()) return "file";
	if (info.isDirectory()) return "directory";
	return info.isSymbolicLink() ? "link" : "other";
}
