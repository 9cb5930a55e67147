/** Lists one directory. */
import { join } from "node:path";

import type { DirectoryEntry, MachineFiles } from "@tau/sys";
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { treeTouch } from "../tool/touch.ts";
import { shownName } from "../find/shown-path.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

export const ls = defineTool({
	name: "ls",
	label: "List directory",
	prompt,
	concurrency: "shared",
	approval: "read",
	kind: "search",
	claude: { name: "LS" },
	schema,
	parameters: () =>
		z.object({
			path: z.string().optional(),
			sizes: z.boolean().optional(),
		}),
	touches: ({ path }, context) => treeTouch(path, context),
	async execute({ path = ".", sizes = false }, context) {
		const absolute = context.resolve(path);
		const listed = await context.machine.files.list(absolute).catch((error: NodeJS.ErrnoException) => error);
		if (listed instanceof Error) return errorResult(unlisted(path, listed));
		if (listed.length === 0) return textResult(`${path} is an empty directory.`, { entries: 0 });
		const directoryEntries = listed.filter((entry) => !entry.isIgnored);
		const ignored = listed.filter((entry) => entry.isIgnored);
		const shown = directoryEntries.slice(0, limits.names);
		const lines = await Promise.all(
			shown.map((entry) => line(context.machine.files, absolute, entry, sizes)),
		);
		if (shown.length < directoryEntries.length) {
			lines.push(
				`[${shown.length} of ${directoryEntries.length} names; use find with a pattern to see others]`,
			);
		}
		if (ignored.length > 0) lines.push(ignoredLine(ignored));
		const details = {
			entries: listed.length,
			ignored: ignored.length,
			truncated: shown.length < directoryEntries.length,
		};
		return textResult(lines.join("\n"), details);
	},
	view: { call: ({ path }) => `ls ${path ?? "."}` },
});

async function line(
	files: MachineFiles,
	directory: string,
	entry: DirectoryEntry,
	sizes: boolean,
): Promise<string> {
	const name = marked(entry);
	const path = join(directory, entry.name);
	if (entry.kind === "link") {
		// A link that is gone meanwhile is shown without its target.
		const target = (await files.lstat(path).catch(() => undefined))?.linkTarget;
		return target === undefined ? name : `${name} -> ${shownName(target)}`;
	}
	if (!sizes || entry.kind !== "file") return name;
	const info = await files.lstat(path).catch(() => undefined);
	return info ? `${name}  ${info.size}` : name;
}

function marked({ name, kind }: DirectoryEntry): string {
	return shownName(name) + (kind === "directory" ? "/" : "");
}

function ignoredLine(ignored: readonly DirectoryEntry[]): string {
	const names = ignored.slice(0, limits.ignored).map(marked);
	const more = ignored.length > names.length ? ` and ${ignored.length - names.length} more` : "";
	return `Ignored: ${names.join(" ")}${more}`;
}

function unlisted(path: string, error: NodeJS.ErrnoException): string {
	switch (error.code) {
		case "ENOENT":
			return `There is no directory ${path}.`;
		case "ENOTDIR":
			return `${path} is a file. Use read.`;
		case "EACCES":
		case "EPERM":
			return `No permission to list ${path}.`;
		default:
			return `Cannot list ${path}: ${error.message}`;
	}
}
