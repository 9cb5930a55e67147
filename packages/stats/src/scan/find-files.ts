/** Finds the files that may have usage, and the scanner for each. */
import { readdirSync, statSync } from "node:fs";
import { join, sep } from "node:path";

import { env, type Env } from "@tau/utils";

import { usageDirectory } from "../lines/usage-lines.ts";
import { limits } from "../limits.ts";
import { scanClaude } from "./claude.ts";
import { scanCodex } from "./codex.ts";
import { scanGemini } from "./gemini.ts";
import { scanOpencodeDatabase, scanOpencodeMessage } from "./opencode.ts";
import type { Scan } from "./scanner.ts";
import { sessionScan } from "./session-files.ts";
import { scanUsage } from "./usage-files.ts";

/** A directory, or a single file, and how what is in it is read. */
export interface Root {
	path: string;
	/** The path is that of a file. */
	isFile?: true;
	/** Matches the names of files. */
	name: RegExp;
	/** Directories that have no sessions in them. */
	without?: RegExp;
	/** Whether files are read from where the last scan stopped; others are read anew when they change. */
	isAppended: boolean;
	scan: Scan;
}

export interface FoundFile {
	path: string;
	size: number;
	mtimeMs: number;
	root: Root;
}

const jsonl = /\.jsonl$/;
/** What else is in the directory of a session: what it changed, and outputs of tools. */
const besides = /^(?:rewind|local|blobs|artifacts)$/;

/** Usage lines come first: they say what need not be counted in logs. `more` are other directories of Tau's sessions. */
export function rootsOf(
	data: string,
	home: string,
	from: Env = process.env,
	more: readonly string[] = [],
): Root[] {
	const sessions = (path: string, source: "tau" | "pi" | "omp"): Root => {
		// `<project>/<session>.jsonl`; the sessions of agents are in a directory beside it.
		const depth = path.split(sep).length + 2;
		const isAgent = (file: string): boolean => file.split(sep).length > depth;
		return { path, name: jsonl, without: besides, isAppended: true, scan: sessionScan(source, isAgent) };
	};
	const claude = env("CLAUDE_CONFIG_DIR", from) ?? join(home, ".claude");
	const codex = env("CODEX_HOME", from) ?? join(home, ".codex");
	const gemini = join(env("GEMINI_CLI_HOME", from) ?? home, ".gemini/tmp");
	const opencode = join(env("XDG_DATA_HOME", from) ?? join(home, ".local/share"), "opencode");
	return [
		{ path: usageDirectory(data), name: /^\d{4}-\d{2}-\d{2}\.jsonl$/, isAppended: true, scan: scanUsage },
		sessions(join(data, "sessions"), "tau"),
		...more.map((path) => sessions(path, "tau")),
		sessions(join(home, ".pi/agent/sessions"), "pi"),
		sessions(join(home, ".omp/agent/sessions"), "omp"),
		{
			path: join(claude, "projects"),
			name: jsonl,
			without: /^tool-results$/,
			isAppended: true,
			scan: scanClaude,
		},
		{ path: join(codex, "sessions"), name: /^rollout-.*\.jsonl$/, isAppended: true, scan: scanCodex },
		{
			path: join(codex, "archived_sessions"),
			name: /^rollout-.*\.jsonl$/,
			isAppended: true,
			scan: scanCodex,
		},
		{ path: gemini, name: /^session-.*\.jsonl$/, isAppended: true, scan: scanGemini },
		{ path: gemini, name: /^session-.*\.json$/, isAppended: false, scan: scanGemini },
		{
			path: join(opencode, "storage/message"),
			name: /^msg_.*\.json$/,
			isAppended: false,
			scan: scanOpencodeMessage,
		},
		{
			path: join(opencode, "opencode.db"),
			isFile: true,
			name: /^opencode\.db$/,
			isAppended: false,
			scan: scanOpencodeDatabase,
		},
	];
}

/** Calls `onFile` with each, in no order: asking about ten thousand files takes most of a look at what is new. */
export function findFiles(roots: readonly Root[], onFile: (file: FoundFile) => void): void {
	for (const root of roots) {
		if (root.isFile) fileAt(root, root.path, onFile);
		else filesIn(root, root.path, 0, onFile);
	}
}

function filesIn(root: Root, path: string, depth: number, onFile: (file: FoundFile) => void): void {
	if (depth > limits.directoryDepth) return;
	for (const entry of entriesOf(path)) {
		const { name } = entry;
		// `join` would take as long as asking the system about the file.
		const below = `${path}${sep}${name}`;
		if (entry.isDirectory()) {
			if (!root.without?.test(name)) filesIn(root, below, depth + 1, onFile);
		} else if (root.name.test(name)) fileAt(root, below, onFile);
	}
}

function entriesOf(path: string) {
	try {
		return readdirSync(path, { withFileTypes: true });
	} catch {
		// A program that is not installed, or a directory that the user may not read, has no sessions here.
		return [];
	}
}

/** A link may lead to a device, which has no end. */
function fileAt(root: Root, path: string, onFile: (file: FoundFile) => void): void {
	const stats = statSync(path, { throwIfNoEntry: false });
	if (stats?.isFile()) onFile({ path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs), root });
}
