/** A tool that calls other tools: it reads several files at once, through the same checks as calls of the model. */
import { Type, type ExtensionAPI } from "@tau/coding-agent";

export default function eachFile(pi: ExtensionAPI) {
	pi.registerTool({
		name: "read_all",
		label: "Read all",
		description: "Reads several files.",
		promptSnippet: "read several files in one call",
		approval: "read",
		parameters: Type.Object({ paths: Type.Array(Type.String(), { maxItems: 20 }) }),
		async execute(_toolCallId, { paths }, _signal, _onUpdate, { tools, executeTool }) {
			if (!tools.some(({ name }) => name === "read")) throw new Error("There is no tool read.");
			const results = await Promise.all(paths.map((path) => executeTool("read", { path })));
			const failed = results.filter(({ isError }) => isError).length;
			return { content: results.flatMap(({ content }) => content), details: { failed } };
		},
	});
}
