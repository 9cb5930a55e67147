/** Shows a directory as a tree: what is ignored left out, long and deep parts folded. */
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import type { DirectoryEntry, MachineFiles } from "@tau/sys";
import { throwIfAborted } from "@tau/utils";

import { shownName } from "../find/shown-path.ts";
import type { ToolContext } from "../tool/define-tool.ts";
import { errorResult, textResult } from "../tool/result.ts";
import type { ReadRequest } from "./read-request.ts";
import { humanSize } from "./human-size.ts";
import { limits } from "./limits.ts";
import { unreadable } from "./unreadable.ts";

interface Node {
	/** The path has several parts when a directory contains only another directory. */
	name: string;
	path: string;
	kind: DirectoryEntry["kind"];
	children: Node[];
	/** Names that are not shown. */
	more: number;
}

/** `offset` and `limit` count the names of the directory itself. */
export async function readDirectory(
	shown: string,
	absolute: string,
	request: ReadRequest,
	{ machine: { files }, signal }: Pick<ToolContext, "machine" | "signal">,
): Promise<AgentToolResult> {
	const listed = await files.list(absolute).catch((error: NodeJS.ErrnoException) => error);
	if (listed instanceof Error) return errorResult(unreadable(shown, listed));
	if (listed.length === 0) return textResult(`${shown} is an empty directory.`, { entries: 0 });
	const directoryEntries = listed.filter(isShown);
	const first = request.offset ?? 1;
	if (first > directoryEntries.length && directoryEntries.length > 0) {
		return errorResult(`${shown} has ${directoryEntries.length} names; offset ${first} is past its end.`);
	}
	const budget = Math.min(request.limit ?? limits.treeRows, limits.treeRows);
	const top = directoryEntries.slice(first - 1, first - 1 + budget).map((entry) => nodeOf(absolute, entry));
	await unfold(files, top, limits.treeRows - top.length, signal);
	const { rows, isCut } = await rowsOf(files, top);
	const last = first - 1 + top.length;
	if (last < directoryEntries.length)
		rows.push(`[names ${first}-${last} of ${directoryEntries.length}; continue with offset ${last + 1}]`);
	if (isCut) rows.push("[the tree is truncated: read one of its directories]");
	const ignored = listed.filter((entry) => !isShown(entry));
	if (ignored.length > 0) rows.push(aboutIgnored(ignored));
	return textResult(rows.join("\n"), {
		entries: listed.length,
		ignored: ignored.length,
		truncated: last < directoryEntries.length || isCut,
	});
}

/** Git's own directory is there, and of no interest. */
function isShown({ name, isIgnored }: DirectoryEntry): boolean {
	return !isIgnored && name !== ".git";
}

function nodeOf(directory: string, { name, kind }: DirectoryEntry): Node {
	return { name, path: join(directory, name), kind, children: [], more: 0 };
}

/** Level by level, so that what is near the top is shown first. */
async function unfold(
	files: MachineFiles,
	top: readonly Node[],
	room: number,
	signal: AbortSignal,
): Promise<void> {
	let level = top;
	let left = room;
	for (let depth = 1; depth < limits.treeDepth; depth++) {
		const directories = level.filter(({ kind }) => kind === "directory");
		for (const node of directories) {
			if (left <= 0) return;
			throwIfAborted(signal);
			left -= await open(files, node, Math.min(limits.treeNames, left));
		}
		level = directories.flatMap(({ children }) => children);
	}
}

/** Returns the number of rows that were added. */
async function open(files: MachineFiles, node: Node, room: number): Promise<number> {
	// A directory that cannot be listed is shown closed.
	const listed = await files.list(node.path).catch(() => []);
	const entries = listed.filter(isShown);
	const [only] = entries;
	if (entries.length === 1 && only?.kind === "directory") {
		node.name = join(node.name, only.name);
		node.path = join(node.path, only.name);
		return open(files, node, room);
	}
	// One row is reserved for the number of omitted rows.
	const count = entries.length <= room ? entries.length : room - 1;
	node.children = entries.slice(0, count).map((entry) => nodeOf(node.path, entry));
	node.more = entries.length - count;
	return Math.min(entries.length, room);
}

async function rowsOf(
	files: MachineFiles,
	top: readonly Node[],
): Promise<{ rows: string[]; isCut: boolean }> {
	const rows: string[] = [];
	let bytes = 0;
	const add = (depth: number, text: string): boolean => {
		const row = "  ".repeat(depth) + text;
		bytes += Buffer.byteLength(row) + 1;
		if (bytes > limits.bytes) return false;
		rows.push(row);
		return true;
	};
	const visit = async (nodes: readonly Node[], depth: number): Promise<boolean> => {
		for (const node of nodes) {
			if (!add(depth, await rowOf(files, node)) || !(await visit(node.children, depth + 1))) return false;
			if (node.more > 0 && !add(depth + 1, `… ${node.more} more`)) return false;
		}
		return true;
	};
	return { isCut: !(await visit(top, 0)), rows };
}

async function rowOf(files: MachineFiles, { name, path, kind }: Node): Promise<string> {
	if (kind === "directory") return `${shownName(name)}/`;
	if (kind === "link") {
		// A link that is gone meanwhile is shown without its target.
		const target = (await files.lstat(path).catch(() => undefined))?.linkTarget;
		return target === undefined ? shownName(name) : `${shownName(name)} -> ${shownName(target)}`;
	}
	const info = await files.lstat(path).catch(() => undefined);
	return info?.kind === "file" ? `${shownName(name)}  ${humanSize(info.size)}` : shownName(name);
}

function aboutIgnored(ignored: readonly DirectoryEntry[]): string {
	const names = ignored
		.slice(0, limits.treeIgnored)
		.map(({ name, kind }) => shownName(name) + (kind === "directory" ? "/" : ""));
	const more = ignored.length > names.length ? ` and ${ignored.length - names.length} more` : "";
	return `Not shown: ${names.join(" ")}${more}`;
}
