/** Creates files or replaces them whole; also entries of archives, rows of databases and merge conflicts. */
import { z } from "zod";

import { defineTool } from "../tool/define-tool.ts";
import { claudePath } from "../tool/claude-form.ts";
import { fileTouch } from "../tool/touch.ts";
import { editMode } from "../files/edit-mode.ts";
import { stripHashlines } from "../files/hashline.ts";
import { errorResult } from "../tool/result.ts";
import { archiveTarget } from "./archive-target.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { resolveConflicts } from "./resolve-conflict.ts";
import { sqliteTarget } from "./sqlite-target.ts";
import { writeArchive } from "./write-archive.ts";
import { writeFile } from "./write-file.ts";
import { writeRow } from "./write-row.ts";

export const write = defineTool({
	name: "write",
	label: "Write file",
	prompt,
	concurrency: "exclusive",
	approval: "write",
	source: { text: ["content"] },
	claude: { name: "Write", renamed: { file_path: claudePath } },
	schema,
	parameters: z.object({
		path: z.string().min(1),
		content: z.string(),
	}),
	touches: ({ path }, context) => fileTouch("write", path, context),
	async execute({ path, content }, context) {
		const isHashline = editMode(context) === "hashline";
		const { text, stripped } = isHashline ? stripHashlines(content) : { text: content, stripped: false };
		const notes = stripped ? ["The line numbers from `read` were removed from the content."] : [];
		const conflict = /^conflict:\/\/(.*)$/s.exec(path)?.[1];
		if (conflict !== undefined) return resolveConflicts(conflict, text, context);
		const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(path)?.[1];
		if (scheme !== undefined) return errorResult(`${scheme}:// cannot be written to.`);
		const archive = await archiveTarget(path, context);
		if (archive) return writeArchive(archive, content, context);
		const row = await sqliteTarget(path, context);
		if (row) return writeRow(row, content, context);
		return writeFile(path, text, context, notes);
	},
	view: { call: ({ path }) => `write ${path ?? "…"}` },
});
