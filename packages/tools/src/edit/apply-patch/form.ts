/** Edits by a patch over any number of files, all of it or nothing. */
import type { Touch } from "@tau/agent";
import { z } from "zod";

import type { TouchContext } from "../../tool/define-tool.ts";
import { editTouch, fileTouch } from "../../tool/touch.ts";
import { patchedFiles, type PatchedFile } from "../patched-files.ts";
import type { EditForm } from "../form.ts";
import type { Plan } from "../plan.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const parameters = () => z.object({ input: z.string().min(1).describe("the whole patch") });

export const applyPatch: EditForm<ReturnType<typeof parameters>> = {
	mode: "apply_patch",
	prompt,
	schema,
	parameters,
	async plan({ input }, context): Promise<Plan> {
		// Most models never write a patch.
		const [{ parsePatch }, { Workspace }] = await Promise.all([
			import("./parse.ts"),
			import("./workspace.ts"),
		]);
		const patch = parsePatch(input);
		if (!patch.ok) return patch;
		const workspace = new Workspace(context);
		for (const section of patch.sections) {
			const refused = await workspace.apply(section);
			if (refused) return refused;
		}
		return { ok: true, files: workspace.plan() };
	},
	touches: ({ input = "" }, context) =>
		patchedFiles(input).flatMap((file, index, all) => touchesOf(file, all[index - 1], context)),
	subject: ({ input }) => input && subjectOf(input),
};

function touchesOf(
	{ change, path }: PatchedFile,
	before: PatchedFile | undefined,
	context: TouchContext,
): readonly Touch[] {
	if (change === "update") return editTouch(path, context);
	if (change === "move")
		return [...fileTouch("delete", before?.path, context), ...fileTouch("write", path, context)];
	return fileTouch(change === "delete" ? "delete" : "write", path, context);
}

/** The files that a patch names, also while it is still being written. */
function subjectOf(input: string): string | undefined {
	const paths = patchedFiles(input).flatMap(({ change, path }) => (change === "move" ? [] : [path]));
	return paths.length > 0 ? paths.join(", ") : undefined;
}
