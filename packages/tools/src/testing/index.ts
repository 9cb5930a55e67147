/** The entry point `@tau/tools/testing`: the JSON Schema of every built-in tool, for the script and the test of `parameters.json`. */
import { builtinTools } from "../builtin/index.ts";
import { applyPatch } from "../edit/apply-patch/form.ts";
import { hashline } from "../edit/hashline/form.ts";
import { replace } from "../edit/replace/form.ts";
import { schemaOf } from "../tool/define-tool.ts";

export interface ToolSchema {
	/** The path of `parameters.json` in the sources of this package. */
	readonly file: string;
	/** The JSON Schema of the parameters as the code declares them. */
	readonly derived: object;
}

/** The schemas of all built-in tools, and of the forms of the one that has several. */
export function toolSchemas(): ToolSchema[] {
	const forms = Object.entries({ "apply-patch": applyPatch, hashline, replace });
	const declared = [
		...builtinTools.map(({ name, parameters }) => ({ directory: name, parameters })),
		...forms.map(([name, form]) => ({ directory: `edit/${name}`, parameters: form.parameters })),
	];
	return declared.flatMap(({ directory, parameters }) =>
		parameters ? [{ file: `${directory}/parameters.json`, derived: schemaOf(parameters()) }] : [],
	);
}
