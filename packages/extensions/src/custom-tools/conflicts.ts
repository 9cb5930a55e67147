/** Takes tools away that bear a name which somebody has already: a custom tool takes nobody's place. */
import type { Extension } from "../api/extension.ts";

/** What is wrong, for each tool that was taken away. */
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
