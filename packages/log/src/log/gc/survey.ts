/** Finds the contents of a directory of sessions: logs, locks, outputs, and partial files of a crash. */
import { readdirSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";

import { errorCode } from "@tau/utils";

import { limits } from "../limits.ts";
import { sessionSuffix } from "../file/paths.ts";

export interface Survey {
	/** Logs and their saved originals: all files that may refer to blobs. */
	texts: string[];
	locks: string[];
	/** Logs that were being written aside. */
	unfinished: string[];
	/** Directories of outputs, each with the log that it belongs to. */
	outputs: { directory: string; session: string }[];
}

/** `projects` is a directory of directories of sessions. */
export interface Root {
	path: string;
	layout: "projects" | "sessions";
	/** The trash is not searched for sessions: it stays unchanged. */
	isTrash?: true;
}

/** Throws the file system's error if a part cannot be read: its content would be unknown. */
export function survey(roots: readonly Root[]): Survey {
	const result: Survey = { texts: [], locks: [], unfinished: [], outputs: [] };
	for (const root of roots) {
		if (root.layout === "sessions") look(result, root.path, root);
		else {
			for (const [path, stats] of childrenOf(root.path)) if (stats.isDirectory()) look(result, path, root);
		}
	}
	return result;
}

function look(result: Survey, directory: string, { isTrash }: Root): void {
	for (const [path, stats] of childrenOf(directory)) {
		if (stats.isFile()) sort(result, path);
		else if (stats.isDirectory() && isOutputs(path)) {
			if (!isTrash) result.outputs.push({ directory: path, session: path + sessionSuffix });
			lookInside(result, path, 0);
		}
	}
}

/** Subagents have their logs among the outputs. */
function lookInside(result: Survey, directory: string, depth: number): void {
	if (depth > limits.outputDepth) throw new Error(`${directory} is nested too deeply.`);
	for (const [path, stats] of childrenOf(directory)) {
		if (stats.isFile()) sort(result, path);
		else if (stats.isDirectory()) lookInside(result, path, depth + 1);
	}
}

function sort(result: Survey, path: string): void {
	if (/\.jsonl(\.damaged|\.orig\d*)?$/.test(path)) result.texts.push(path);
	else if (path.endsWith(".jsonl.lock")) result.locks.push(path);
	else if (/\.jsonl\.[\w-]+\.tmp$/.test(path)) result.unfinished.push(path);
}

/** Decides by the file's name: a user may store other files in a directory of sessions. */
function isOutputs(path: string): boolean {
	return /[/\\]\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[^/\\]+$/.test(path);
}

function* childrenOf(directory: string): Generator<[path: string, stats: Stats]> {
	for (const name of namesIn(directory)) {
		const path = join(directory, name);
		const stats = statSync(path, { throwIfNoEntry: false });
		if (stats) yield [path, stats];
	}
}

/** Returns an empty list if the directory does not exist. */
export function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return [];
		throw error;
	}
}
