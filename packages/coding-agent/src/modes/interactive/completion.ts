/** What the editor offers while one types: commands with their arguments, files of the project. */
import { CombinedAutocompleteProvider, type AutocompleteProvider, type FileSource } from "@tau/tui";
import { fuzzyFind } from "@tau/sys";

import type { InteractiveHost } from "./host.ts";
import { limits } from "./limits.ts";

/** Commands come and go with extensions, so they are asked for each time. */
export function completionFor(host: InteractiveHost): AutocompleteProvider {
	const now = (): CombinedAutocompleteProvider => {
		const offered = host.commands.all.map(({ name, description, argumentHint, complete }) => ({
			name,
			description,
			...(argumentHint === undefined ? {} : { argumentHint }),
			...(complete ? { getArgumentCompletions: (prefix: string) => complete(prefix, host) } : {}),
		}));
		return new CombinedAutocompleteProvider(offered, host.cwd, filesIn(host.cwd));
	};
	return {
		getSuggestions: (...args) => now().getSuggestions(...args),
		applyCompletion: (...taken) => now().applyCompletion(...taken),
		shouldTriggerFileCompletion: (...at) => now().shouldTriggerFileCompletion(...at),
	};
}

function filesIn(root: string): FileSource {
	return async (query, signal) => {
		const matches = await fuzzyFind({
			root,
			query: query || ".",
			limit: limits.mentions,
			hidden: true,
			cache: true,
			signal,
		});
		return matches.map(({ path }) => path);
	};
}
