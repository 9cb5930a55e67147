/** Reads a file in numbered lines, or lists a directory. */
import { readdir, stat } from "node:fs/promises";

import type { AgentToolResult } from "@tau/agent";
import { stripControls } from "@tau/utils";
import { z } from "zod";

import { defineTool } from "../define-tool.ts";
import { limits } from "../limits.ts";
import { errorResult, textResult } from "../result.ts";
import { cutLines } from "./cut-lines.ts";
import prompt from "./prompt.md" with { type: "text" };

export const read = defineTool({
	name: "read",
	label: "Read file",
	prompt,
	concurrency: "shared",
	approval: "read",
	parameters: z.object({
		path: z.string().min(1).describe("file or directory, absolute or relative to the working directory"),
		offset: z.number().int().positive().optional().describe("first line, from 1"),
		limit: z.number().int().positive().max(limits.readLines).optional().describe("number of lines"),
	}),
	async execute({ path, offset, limit }, context) {
		const absolute = context.resolve(path);
		const info = await stat(absolute).catch((error: NodeJS.ErrnoException) => error);
		if (info instanceof Error) return errorResult(unreadable(path, info));
		if (info.isDirectory()) return listDirectory(path, absolute);
		if (!info.isFile()) return errorResult(`${path} is not a regular file.`);
		if (info.size > limits.readFileBytes) {
			return errorResult(
				`${path} has ${info.size} bytes, too many to read. Use bash with sed, head or grep.`,
			);
		}
		return readLines(path, absolute, offset ?? 1, limit ?? limits.readLines);
	},
	view: {
		call: ({ path, offset, limit }) =>
			`read ${path ?? "…"}${offset || limit ? ` @L${offset ?? 1}${limit ? `-${(offset ?? 1) + limit - 1}` : ""}` : ""}`,
	},
});

async function readLines(
	path: string,
	absolute: string,
	offset: number,
	limit: number,
): Promise<AgentToolResult> {
	const bytes = await Bun.file(absolute)
		.bytes()
		.catch((error: NodeJS.ErrnoException) => error);
	if (bytes instanceof Error) return errorResult(unreadable(path, bytes));
	if (bytes.subarray(0, limits.binaryProbeBytes).includes(0)) {
		return errorResult(
			`Cannot read binary file ${path}. Look at it with bash: file ${path}, or xxd ${path} | head`,
		);
	}
	const text = new TextDecoder().decode(bytes);
	if (text === "") return textResult(`${path} is empty.`, { totalLines: 0 });
	const cut = cutLines(text, offset, limit);
	if (cut.shown === 0) {
		return errorResult(`${path} has ${cut.total} lines; offset ${offset} is past its end.`);
	}
	const rest =
		cut.last < cut.total
			? `\n[lines ${offset}-${cut.last} of ${cut.total}; go on with offset ${cut.last + 1}]`
			: "";
	return textResult(cut.text + rest, {
		totalLines: cut.total,
		firstLine: offset,
		lastLine: cut.last,
		truncated: cut.last < cut.total,
	});
}

async function listDirectory(path: string, absolute: string): Promise<AgentToolResult> {
	const entries = await readdir(absolute, { withFileTypes: true }).catch(
		(error: NodeJS.ErrnoException) => error,
	);
	if (entries instanceof Error) return errorResult(unreadable(path, entries));
	if (entries.length === 0) return textResult(`${path} is an empty directory.`, { entries: 0 });
	const names = entries.map((entry) => shownName(entry.name) + (entry.isDirectory() ? "/" : "")).toSorted();
	const shown = names.slice(0, limits.directoryEntries);
	const rest =
		shown.length < names.length
			? `\n[${shown.length} of ${names.length} names; look for the others with bash: ls, find]`
			: "";
	return textResult(shown.join("\n") + rest, { entries: names.length, truncated: rest !== "" });
}

/** A name with a line break or a control in it is quoted as JSON, the way a model would write it into its next call. */
function shownName(name: string): string {
	const clean = stripControls(name, { newline: false, tab: false });
	return clean === name ? name : stripControls(JSON.stringify(name));
}

function unreadable(path: string, error: NodeJS.ErrnoException): string {
	switch (error.code) {
		case "ENOENT":
			return `There is no file ${path}.`;
		case "EACCES":
		case "EPERM":
			return `No permission to read ${path}.`;
		default:
			return `Cannot read ${path}: ${error.message}`;
	}
}
