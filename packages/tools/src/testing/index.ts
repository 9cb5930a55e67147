/** The entry point `@tau/tools/testing`: the JSON Schema of tools, for the script and the test of `parameters.json`. */
import type { z } from "zod";

import { applyPatch } from "../edit/apply-patch/form.ts";
import { hashline } from "../edit/hashline/form.ts";
import { replace } from "../edit/replace/form.ts";
import { schemaOf, type BuiltinTool } from "../tool/define-tool.ts";

export interface ToolSchema {
	/** The path of `parameters.json` in the sources of the tool's package. */
	readonly file: string;
	/** The JSON Schema of the parameters as the code declares them. */
	readonly derived: object;
}

/** The schemas of these tools, and of the forms of the one that has several. */
export function toolSchemas(tools: readonly BuiltinTool[]): ToolSchema[] {
	return declaredParameters(tools).map(({ directory, parameters }) => ({
		file: `${directory}/parameters.json`,
		derived: schemaOf(parameters()),
	}));
}

export interface DeclaredParameters {
	readonly directory: string;
	parameters(): z.ZodObject;
}

export function declaredParameters(tools: readonly BuiltinTool[]): DeclaredParameters[] {
	const forms = Object.entries({ "apply-patch": applyPatch, hashline, replace });
	return [
		...tools.flatMap(({ name, parameters }) => (parameters ? [{ directory: name, parameters }] : [])),
		...forms.map(([name, { parameters }]) => ({ directory: `edit/${name}`, parameters })),
	];
}
