/** An edit in the format of Claude Code, which has one replacement per call. */
import { claudePath, type ClaudeChange, type ClaudeForm } from "../tool/claude-form.ts";
import { patchedFiles } from "./patched-files.ts";

export const claudeEdit: ClaudeForm = {
	name: "Edit",
	// One edit of Tau may contain several, like MultiEdit.
	aliases: ["MultiEdit"],
	renamed: { file_path: claudePath },
	composed: {
		toClaude: ({ path, input, edits }, resolve) => ({
			...(path === undefined ? patchPaths(input, resolve) : {}),
			...firstEdit(edits),
		}),
		heed(next, change) {
			if ("old_string" in change.sent && !("edits" in next)) next.edits = change.args.edits;
			if (["old_string", "new_string", "replace_all"].some((key) => change.isNew(key)))
				next.edits = [editOf(change)];
		},
	},
};

function patchPaths(patch: unknown, resolve: (path: string) => string): Record<string, unknown> {
	if (typeof patch !== "string") return {};
	const paths = patchedFiles(patch)
		.filter(({ change }) => change !== "move")
		.map(({ path }) => resolve(path));
	return paths.length === 0 ? {} : { file_path: paths[0], file_paths: paths };
}

function firstEdit(edits: unknown): Record<string, unknown> {
	const first: unknown = Array.isArray(edits) ? edits[0] : undefined;
	if (typeof first !== "object" || first === null || !("oldText" in first) || !("newText" in first))
		return {};
	return {
		old_string: first.oldText,
		new_string: first.newText,
		replace_all: "all" in first && first.all === true,
	};
}

function editOf({ updated, sent }: ClaudeChange): Record<string, unknown> {
	const all = updated.replace_all ?? sent.replace_all;
	return {
		oldText: updated.old_string ?? sent.old_string,
		newText: updated.new_string ?? sent.new_string,
		...(all === true ? { all } : {}),
	};
}
