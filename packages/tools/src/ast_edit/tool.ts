/** Rewrites code by its structure: shows what would change, and makes it when that is resolved. */
import type { AgentToolResult } from "@tau/agent";
import { z } from "zod";
import { existing, type CommitOptions, type FileChange, type MachineFiles } from "@tau/sys";

import { aboutStopped, astLimits, rewrite, searchStructure, type FileMatches } from "../ast/index.ts";
import { defineTool, type ToolContext } from "../tool/define-tool.ts";
import { treeTouch } from "../tool/touch.ts";
import { LineText } from "../files/line-text.ts";
import { everything, unifiedDiff } from "../files/unified-diff.ts";
import { pendingActions } from "../resolve/pending.ts";
import { errorResult, textResult } from "../tool/result.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

/** The bounds of one structural rewrite. */
const limits = {
	/** Matches in one call; larger edits are better split into parts that can be reviewed. */
	matches: 5000,
	/** Files whose differences are shown; the others are named. */
	shownFiles: 20,
	shownBytes: 30 * 1024,
} as const;

export const astEdit = defineTool({
	name: "ast_edit",
	label: "Rewrite structure",
	prompt,
	concurrency: "exclusive",
	approval: "write",
	schema,
	parameters: () =>
		z.object({
			pattern: z.string().min(1),
			rewrite: z.string().max(astLimits.patternChars),
			path: z.string().optional(),
			glob: z.string().optional(),
			lang: z.string().optional(),
		}),
	// The call only shows what would change; `resolve` writes it.
	touches: ({ path }, context) => treeTouch(path, context),
	approvalFor: () => "read",
	async execute({ pattern, rewrite: replacement, path = ".", glob, lang }, context) {
		const { cwd, machine, signal } = context;
		const absolute = context.resolve(path);
		const search = { machine, pattern, path, absolute, cwd, glob, lang, signal };
		const result = await searchStructure(search, limits.matches, { outermost: true });
		if (!result.ok) return errorResult(result.reason);
		const { files, searched, stopped, isCut } = result.value;
		if (stopped.length > 0) return errorResult(`Nothing was changed. ${aboutStopped(stopped)}`);
		if (isCut) {
			const most = `${limits.matches} matches or ${astLimits.files} files`;
			return errorResult(`The change exceeds ${most}. Narrow it by path or glob, and do it in parts.`);
		}
		const drafts = files
			.map((file) => planEdits(file, replacement))
			.filter(({ before, after }) => before !== after);
		if (drafts.length === 0) {
			const why = files.length === 0 ? "No matches" : "Every match already reads like the rewrite";
			return { ...textResult(`${why} in ${searched} files.`, { matches: 0 }), useless: true };
		}
		return await preview(drafts, `${pattern} → ${replacement}`, context);
	},
	view: {
		call: ({ pattern, rewrite: to, path }) =>
			`ast_edit ${pattern ?? "…"} → ${to ?? "…"}${path ? ` in ${path}` : ""}`,
	},
});

interface EditPlan {
	shown: string;
	absolute: string;
	before: string;
	after: string;
	count: number;
}

function planEdits({ shown, absolute, text, matches }: FileMatches, replacement: string): EditPlan {
	const { text: after, count } = rewrite(text, matches, replacement);
	return { shown, absolute, before: text, after, count };
}

async function preview(
	drafts: readonly EditPlan[],
	what: string,
	context: ToolContext,
): Promise<AgentToolResult> {
	const count = drafts.reduce((sum, draft) => sum + draft.count, 0);
	const label = `${count} ${count === 1 ? "match" : "matches"} in ${drafts.length} ${drafts.length === 1 ? "file" : "files"}: ${what}`;
	const blocks: string[] = [];
	let bytes = 0;
	for (const draft of drafts.slice(0, limits.shownFiles)) {
		const block = `${draft.shown}\n${diffOf(draft)}`;
		bytes += Buffer.byteLength(block);
		if (bytes > limits.shownBytes) break;
		blocks.push(block);
	}
	const others = drafts.slice(blocks.length).map(({ shown }) => shown);
	if (others.length > 0) blocks.push(`and in: ${others.join(", ")}`);
	context.services.get(pendingActions, context).push({
		label,
		sourceToolName: "ast_edit",
		paths: drafts.map(({ absolute }) => absolute),
		changes: drafts.map(({ absolute: path, before, after }) => ({ path, before, after })),
		apply: (_reason, files, options) => apply(files, drafts, options),
	});
	const text = `${label}\n\n${blocks.join("\n\n")}\n\nNothing is written yet. Call resolve to apply or discard.`;
	return textResult(text, { matches: count, files: drafts.map(({ shown }) => shown), pending: true });
}

function diffOf({ before, after }: EditPlan): string {
	const [old, now] = [new LineText(before), new LineText(after)];
	const { diff, truncated } = unifiedDiff(old, now, everything(old, now));
	return truncated ? `${diff}\n…` : diff;
}

/** All files or none; one that has changed since it was shown stops it. */
async function apply(
	machineFiles: MachineFiles,
	drafts: readonly EditPlan[],
	options: CommitOptions,
): Promise<AgentToolResult> {
	const changes: FileChange[] = [];
	for (const { shown, absolute, before, after } of drafts) {
		const file = existing(await machineFiles.readText(shown, absolute));
		if (!file.ok) return errorResult(`Nothing was written: ${file.reason}`);
		if (file.text !== before) {
			return errorResult(`Nothing was written: ${shown} has changed since the preview. Call ast_edit again.`);
		}
		changes.push({ before: file, after: { text: after, hasBom: file.hasBom } });
	}
	const written = await machineFiles.commit(changes, options);
	if (!written.ok) return errorResult(`Nothing was written: ${written.reason}`);
	const count = drafts.reduce((sum, draft) => sum + draft.count, 0);
	const files = drafts.map(({ shown }) => shown);
	return textResult(`Changed ${count} matches in ${files.join(", ")}.`, { matches: count, files });
}
