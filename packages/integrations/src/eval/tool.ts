/** Runs a cell of Python or JavaScript in an interpreter that keeps its state, and shows what it printed and returned. */
import { z } from "zod";

import { defineTool, errorResult } from "@tau/tools/tool";
import { languageNames, languages } from "./language-names.ts";
import { limits } from "./limits.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

const parameters = () =>
	z.object({
		language: z.enum(languages),
		code: z.string().min(1, "the cell is empty"),
		reset: z.boolean().optional().describe("start with a new interpreter"),
		timeout: z
			.number()
			.optional()
			.describe(`seconds, default ${limits.seconds}, at most ${limits.maxSeconds}`),
	});

export const evalTool = defineTool({
	name: "eval",
	label: "Run code",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	amends: ["code"],
	searchHint: "Python, JavaScript; keeps variables, calls tools",
	schema,
	parameters,
	touches: ({ code, language }, { cwd }) =>
		code === undefined
			? []
			: [{ kind: "exec", command: code, cwd, language: languageNames[language ?? "python"] }],
	async execute(params, context) {
		try {
			const { runCell } = await import("./run-cell.ts");
			return await runCell(params, context);
		} catch (error) {
			return errorResult(error instanceof Error ? error.message : String(error));
		}
	},
	view: {
		call: ({ language, code }) =>
			`eval ${language ?? "…"}: ${code?.trimStart().split("\n", 1)[0]?.slice(0, limits.shownCode) ?? "…"}`,
		showsImages: true,
	},
});
