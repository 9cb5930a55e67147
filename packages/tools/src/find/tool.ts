/** Finds files by glob, by name, or by a roughly remembered path. */
import { join } from "node:path";

import type { AgentToolResult } from "@tau/agent";
import { GlobError, splitGlob, type MachineFiles, type ScanEntry } from "@tau/sys";
import { oneLine } from "@tau/utils";
import { z } from "zod";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { treeTouch } from "../tool/touch.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import { newestFirst } from "./newest-first.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { ownPath, shownName } from "./shown-path.ts";

export const find = defineTool({
	name: "find",
	label: "Find files",
	prompt,
	concurrency: "shared",
	approval: "read",
	kind: "search",
	claude: { name: "Glob" },
	schema,
	parameters: () =>
		z.object({
			pattern: z
				.string()
				.trim()
				.min(1)
				.describe("*.ts (any depth), src/**/*.test.ts, docs/ (directories), sess log"),
			path: z.string().optional(),
			limit: z.number().int().positive().max(limits.pathsMax).optional(),
		}),
	touches: ({ path }, at) => treeTouch(path, at),
	async execute({ pattern, path = ".", limit = limits.paths }, context) {
		const asked = { pattern, path, limit };
		try {
			return (await byGlob(asked, context)) ?? (await bySimilarity(asked, context)) ?? nothing(asked);
		} catch (error) {
			if (error instanceof GlobError) return errorResult(error.message);
			const code = error instanceof Error && "code" in error ? error.code : undefined;
			if (code === "ENOENT") return errorResult(`There is no directory ${path}.`);
			if (code === "ENOTDIR") return errorResult(`${path} is not a directory.`);
			if (code === "EACCES" || code === "EPERM") return errorResult(`No permission to list ${path}.`);
			throw error;
		}
	},
	view: { call: ({ pattern, path }) => `find ${pattern ?? "…"}${path ? ` in ${path}` : ""}` },
});

interface FindRequest {
	pattern: string;
	path: string;
	limit: number;
}

/** Returns where to search: the named directory, and the part of the pattern that is a directory itself. */
function place(
	{ pattern, path }: FindRequest,
	context: ToolContext,
): { root: string; rest: string; whole: string } {
	const { base, rest } = splitGlob(pattern);
	const whole = context.resolve(path);
	// A pattern that begins at the root or at home is complete.
	const start = base.startsWith("~") ? context.resolve(base) : join(base.startsWith("/") ? "/" : whole, base);
	return { root: start, rest, whole };
}

async function byGlob(request: FindRequest, context: ToolContext): Promise<AgentToolResult | undefined> {
	const { root, rest, whole } = place(request, context);
	const { files } = context.machine;
	if (!(await files.stat(whole))) throw Object.assign(new Error(`There is no ${whole}`), { code: "ENOENT" });
	const isThere = root === whole || (await isDirectory(files, root));
	// A missing directory has no files; its name may still be roughly right.
	if (!isThere) return undefined;
	const { entries, isCut } = await files.glob({
		root,
		pattern: rest,
		wanted: request.limit,
		hidden: true,
		nodeModules: root.includes("node_modules"),
		signal: context.signal,
	});
	if (entries.length === 0) return undefined;
	const { ordered, isTimed } = await newestFirst(files, root, entries, context.signal);
	const paths = ordered.slice(0, request.limit).map((entry) => marked(context.cwd, root, entry));
	const { text, shown } = foldPaths(paths, limits.bytes);
	const order = isTimed ? "newest first" : "by name";
	const more =
		shown < entries.length ? `\n[${shown} of ${entries.length} ${order}; narrow the pattern or path]` : "";
	const cut = isCut ? "\n[the tree is too large to list in full: set path to a directory]" : "";
	return textResult(text + more + cut, {
		count: entries.length,
		shown,
		truncated: more !== "" || isCut,
		order: isTimed ? "newest" : "name",
	});
}

function marked(cwd: string, root: string, { path, kind }: ScanEntry): string {
	return ownPath(cwd, join(root, path)) + (kind === "directory" ? "/" : "");
}

/** Handles a pattern without wildcards: no file has this name, but a similar one may be meant. */
async function bySimilarity(
	request: FindRequest,
	context: ToolContext,
): Promise<AgentToolResult | undefined> {
	if (/[*?[{]/.test(request.pattern)) return undefined;
	const root = context.resolve(request.path);
	const fuzzyPaths = await context.machine.files.fuzzyFind({
		root,
		query: request.pattern,
		limit: Math.min(request.limit, limits.similar),
		hidden: true,
		nodeModules: root.includes("node_modules"),
		signal: context.signal,
	});
	if (fuzzyPaths.length === 0) return undefined;
	const own = ownPath(context.cwd, root);
	const paths = fuzzyPaths.map(({ path }) => shownName(own === "." ? path : join(own, path)));
	const text = `No exact match. Similar names, best first:\n${paths.join("\n")}`;
	return textResult(text, {
		count: fuzzyPaths.length,
		shown: fuzzyPaths.length,
		truncated: false,
		order: "similarity",
	});
}

function nothing({ pattern, path }: FindRequest): AgentToolResult {
	const where = path === "." ? "" : ` in ${path}`;
	const text = `No files match ${oneLine(pattern, 200)}${where}. Ignored files are listed only when path names their directory.`;
	return { ...textResult(text, { count: 0, shown: 0, truncated: false }), useless: true };
}

async function isDirectory(files: MachineFiles, path: string): Promise<boolean> {
	const info = await files.stat(path).catch(() => undefined);
	return info?.kind === "directory";
}

interface Folded {
	text: string;
	shown: number;
}

/**
 * Writes each directory once, above the names in it, and keeps directories and names in the order of first occurrence.
 * Stops before `maxBytes`.
 */
export function foldPaths(paths: readonly string[], maxBytes: number): Folded {
	const groups = new Map<string, string[]>();
	for (const path of paths) {
		// A slash at the end marks a directory and belongs to its name.
		const cut = path.lastIndexOf("/", path.length - 2) + 1;
		// A path that needs quotes is quoted as a whole, on its own line.
		const directory = shownName(path) === path ? path.slice(0, cut) : path;
		const names = groups.get(directory);
		const name = path.slice(directory.length);
		if (names) names.push(name);
		else groups.set(directory, [name]);
	}
	const lines: string[] = [];
	let bytes = 0;
	let shown = 0;
	for (const [directory, names] of groups) {
		const isFolded = names.length > 1 && directory !== "";
		for (const [index, name] of names.entries()) {
			const line = isFolded ? `  ${name}` : shownName(directory + name);
			const whole = isFolded && index === 0 ? `${directory}\n${line}` : line;
			bytes += Buffer.byteLength(whole) + 1;
			if (bytes > maxBytes && shown > 0) return { text: lines.join("\n"), shown };
			lines.push(whole);
			shown++;
		}
	}
	return { text: lines.join("\n"), shown };
}
