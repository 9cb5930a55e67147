/** Edits by replacing text that occurs in the file. */
import { z } from "zod";

import { editTouch } from "../../tool/touch.ts";
import type { EditForm } from "../form.ts";
import { limits } from "../limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const parameters = () =>
	z.object({
		path: z.string().min(1),
		edits: z
			.array(
				z.object({
					oldText: z.string().min(1),
					newText: z.string(),
					all: z.boolean().optional(),
				}),
			)
			.min(1)
			.max(limits.edits),
	});

export const replace: EditForm<ReturnType<typeof parameters>> = {
	mode: "replace",
	prompt,
	schema,
	parameters,
	plan: async (params, context) => (await import("./plan.ts")).planReplacements(params, context),
	touches: ({ path }, at) => editTouch(path, at),
	subject: ({ path }) => path,
};
