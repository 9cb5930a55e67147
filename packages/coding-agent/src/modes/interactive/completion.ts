/** What the editor offers while one types: commands with their arguments, files of the project. */
import { CombinedAutocompleteProvider, type FileSource } from "@tau/tui";
import { fuzzyFind } from "@tau/sys";

import type { SlashCommand } from "./commands/command.ts";
import type { InteractiveHost } from "./host.ts";
import { limits } from "./limits.ts";

export function completionFor(
	commands: readonly SlashCommand[],
	host: InteractiveHost,
): CombinedAutocompleteProvider {
	const offered = commands.map(({ name, description, argumentHint, complete }) => ({
		name,
		description,
		...(argumentHint === undefined ? {} : { argumentHint }),
		...(complete ? { getArgumentCompletions: (prefix: string) => complete(prefix, host) } : {}),
	}));
	return new CombinedAutocompleteProvider(offered, host.cwd, filesIn(host.cwd));
}

function filesIn(root: string): FileSource {
	return async (query, signal) => {
		const found = await fuzzyFind({ root, query: query || ".", limit: limits.mentions, cache: true, signal });
		return found.map(({ path }) => path);
	};
}
