/** Changes a cell of a notebook file, and leaves everything else in it unchanged. */
import { stripControls } from "@tau/utils";
import { z } from "zod";
import { defineTool } from "../tool/define-tool.ts";
import { claudePath } from "../tool/claude-form.ts";
import { editTouch } from "../tool/touch.ts";
import { errorResult, textResult } from "../tool/result.ts";
import { LineText } from "../files/line-text.ts";
import { everything, unifiedDiff } from "../files/unified-diff.ts";
import { changeCell, parseNotebook, printNotebook } from "./notebook.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };
import { existing } from "@tau/sys";

const done = { edit: "Changed", insert: "Inserted", delete: "Deleted" } as const;

export const notebook = defineTool({
	name: "notebook",
	label: "Edit notebook",
	prompt,
	searchHint: "cells of .ipynb",
	concurrency: "exclusive",
	approval: "write",
	claude: { name: "NotebookEdit", renamed: { notebook_path: claudePath } },
	schema,
	parameters: () =>
		z.object({
			path: z.string().min(1),
			action: z.enum(["edit", "insert", "delete"]),
			cell_index: z.number().int().min(0),
			content: z.string().optional(),
			cell_type: z.enum(["code", "markdown", "raw"]).optional(),
		}),
	touches: ({ path }, context) => editTouch(path, context),
	changes: ({ path, content }, { resolve }) =>
		path === undefined || content === undefined ? [] : [{ path: resolve(path), before: "", after: content }],
	async execute({ path, action, cell_index: index, content, cell_type: type }, context) {
		const { files } = context.machine;
		const file = existing(await files.readText(path, context.resolve(path)));
		if (!file.ok) return errorResult(file.reason);
		const parsed = parseNotebook(file.text);
		if (!parsed.ok) return errorResult(`${path} is not a notebook: ${parsed.reason}.`);
		const changed = changeCell(parsed.value, { action, index, content, type });
		if (!changed.ok) return errorResult(`${path}: ${changed.reason}.`);
		const text = printNotebook(parsed.value, file.text);
		const written = await files.commit([{ before: file, after: { text, hasBom: file.hasBom } }], context);
		if (!written.ok) return errorResult(written.reason);
		const { cellType, cellSource, totalCells } = changed.value;
		const [before, after] = [new LineText(changed.value.before), new LineText(changed.value.after)];
		const { diff, truncated } = unifiedDiff(before, after, everything(before, after));
		const message = `${done[action]} ${cellType} cell ${index} of ${path}; it has ${totalCells} cells now.`;
		return textResult(message, {
			action,
			cellIndex: index,
			cellType,
			totalCells,
			cellSource: stripControls(cellSource),
			diff: diff === "" ? "" : `--- ${path}\n+++ ${path}\n${diff}`,
			truncated,
		});
	},
	view: {
		call: ({ path, action, cell_index: index }) =>
			`notebook ${action ?? "…"} ${path ?? "…"} [${index ?? "…"}]`,
	},
});
