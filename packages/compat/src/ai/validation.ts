/** Checks the arguments of a call against the schema of its tool. */
import type { Tool, ToolCall } from "@tau/ai";
import { checkValue } from "@tau/extensions/typebox";

function validateToolArguments({ name, parameters }: Tool, { arguments: given }: ToolCall): unknown {
	const checked = checkValue(parameters, given);
	if (checked.ok) return checked.value;
	throw new Error(`Bad arguments for ${name}: ${checked.problems.join("; ")}`);
}

function validateToolCall(tools: readonly Tool[], call: ToolCall): unknown {
	const tool = tools.find(({ name }) => name === call.name);
	if (!tool) throw new Error(`There is no tool "${call.name}".`);
	return validateToolArguments(tool, call);
}

/** What extensions get of it. */
export const validationExports = {
	validateToolArguments,
	validateToolCall,
};
