/** Creates files or replaces them whole; also entries of archives, rows of databases and merge conflicts. */
import { z } from "zod";
import type { AgentToolResult } from "@tau/agent";
import { changeRow } from "@tau/sys";

import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { claudePath } from "../tool/claude-form.ts";
import { fileTouch, schemeOf } from "../tool/touch.ts";
import { editMode } from "../files/edit-mode.ts";
import { stripHashlines } from "../files/hashline.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { archiveTarget } from "./archive-target.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { conflictTouches, resolveConflicts } from "./resolve-conflict.ts";
import { sqliteTarget, type SqliteTarget } from "./sqlite-target.ts";
import { writeArchive } from "./write-archive.ts";
import { previewWrite, writeFile } from "./write-file.ts";
import { notLocal } from "../files/not-local.ts";

export const write = defineTool({
	name: "write",
	label: "Write file",
	prompt,
	concurrency: "exclusive",
	approval: "write",
	source: { text: ["content"] },
	claude: { name: "Write", renamed: { file_path: claudePath } },
	schema,
	parameters: () =>
		z.object({
			path: z.string().min(1),
			content: z.string(),
		}),
	touches: ({ path }, context) => conflictTouches(path, context) ?? fileTouch("write", path, context),
	preview: async ({ path, content }, context) =>
		schemeOf(path) !== undefined
			? undefined
			: previewWrite(path, writtenText(content, context).text, context),
	async execute({ path, content }, context) {
		const { text, stripped } = writtenText(content, context);
		const notes = stripped ? ["The line numbers from `read` were removed from the content."] : [];
		const conflict = /^conflict:\/\/(.*)$/s.exec(path)?.[1];
		if (conflict !== undefined) return resolveConflicts(conflict, text, context);
		const scheme = schemeOf(path);
		if (scheme !== undefined) return errorResult(`${scheme}:// cannot be written to.`);
		const archive = await archiveTarget(path, context);
		if (archive) return writeArchive(archive, content, context);
		const row = await sqliteTarget(path, context);
		if (row) return writeRow(row, content, context);
		return writeFile(path, text, context, notes);
	},
	view: { call: ({ path }) => `write ${path ?? "…"}` },
});

/** Models that read numbered lines sometimes write the numbers, too. */
function writtenText(content: string, context: ToolContext): { text: string; stripped: boolean } {
	return editMode(context) === "hashline" ? stripHashlines(content) : { text: content, stripped: false };
}

/** Inserts, updates or deletes one row of a SQLite database. */
async function writeRow(
	target: SqliteTarget,
	content: string,
	{ machine, toolCallId }: ToolContext,
): Promise<AgentToolResult> {
	if (!target.ok) return errorResult(target.reason);
	const { database, absolute, table } = target;
	const path = machine.files.localPath(await machine.files.realpath(absolute).catch(() => absolute));
	if (path === undefined) return errorResult(notLocal(database, machine));
	try {
		const { text, changed } = await changeRow(path, target, content);
		if (changed > 0) machine.files.noteChange({ toolCallId }, absolute);
		// The second name is the one that clients of omp look for.
		return textResult(text, { database: absolute, table, changed, meta: { sourcePath: absolute } });
	} catch (error) {
		return errorResult(`${database}: ${error instanceof Error ? error.message : String(error)}`);
	}
}
