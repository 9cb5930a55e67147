/** The built-in tools, hidden from the model: a session needs them to know which files old calls touched. */
import { resolve } from "node:path";

import { ToolRegistry } from "@tau/tools/registry";
import { builtinTools } from "@tau/integrations/builtin";

export function hiddenTools(cwd = "/work"): ToolRegistry {
	const registry = new ToolRegistry();
	registry.hide("mode", () => true);
	const env = { cwd, resolve: (path: string) => resolve(cwd, path) };
	registry.register(
		"builtin",
		builtinTools.map((tool) => ({
			name: tool.name,
			label: tool.name,
			description: "",
			parameters: {},
			concurrency: "shared",
			approval: tool.approval,
			touches: (args) => tool.touches(args, env),
			validate: (value) => ({ ok: true, value }),
			execute: async () => ({ content: [] }),
		})),
	);
	return registry;
}
