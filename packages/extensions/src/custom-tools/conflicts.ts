/** Removes custom tools whose name is taken: a custom tool replaces no other tool. */
import type { Extension } from "../api/extension.ts";

/** The problem of each removed tool. */
export function refuseTaken(
	extension: Extension,
	earlier: readonly Extension[],
	builtin: ReadonlySet<string>,
): string[] {
	return [...extension.tools.keys()].flatMap((name) => {
		const owner = builtin.has(name) ? "a built-in tool" : earlier.find(({ tools }) => tools.has(name))?.path;
		if (owner === undefined) return [];
		extension.tools.delete(name);
		return [`The tool ${name} is not used: ${owner} already has that name.`];
	});
}
