/** The entry point `@tau/tools/testing`: the JSON Schema of tools, for the script and the test of `parameters.json`. */
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
	const forms = Object.entries({ "apply-patch": applyPatch, hashline, replace });
	const declared = [
		...tools.map(({ name, parameters }) => ({ directory: name, parameters })),
		...forms.map(([name, form]) => ({ directory: `edit/${name}`, parameters: form.parameters })),
	];
	return declared.flatMap(({ directory, parameters }) =>
		parameters ? [{ file: `${directory}/parameters.json`, derived: schemaOf(parameters()) }] : [],
	);
}
