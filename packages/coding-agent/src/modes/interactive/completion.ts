/** What the editor offers while one types: commands with their arguments, files of the project. */
import { CombinedAutocompleteProvider, type AutocompleteProvider, type FileSource } from "@tau/tui";
import { fuzzyFind } from "@tau/sys";

import { workDirectories } from "../shared/attachments.ts";
import type { InteractiveHost } from "./host.ts";
import { limits } from "./limits.ts";

/** Commands come and go with extensions, so they are asked for each time. */
export function completionFor(host: InteractiveHost): AutocompleteProvider {
	const now = (lines: readonly string[] = []): CombinedAutocompleteProvider => {
		const [, typed] = /^\/(\S+)/.exec(lines[0] ?? "") ?? [];
		const offered = host.commands.all.map(({ name, aliases, description, argumentHint, complete }) => ({
			// Another name is offered only where it was typed: Enter must not replace it by what looks similar.
			name: aliases?.find((alias) => alias === typed) ?? name,
			description,
			...(argumentHint === undefined ? {} : { argumentHint }),
			...(complete ? { getArgumentCompletions: (prefix: string) => complete(prefix, host) } : {}),
		}));
		const directories = workDirectories(host.cwd, host.settings);
		return new CombinedAutocompleteProvider(offered, host.cwd, filesIn(directories));
	};
	return {
		getSuggestions: (...args) => now(args[0]).getSuggestions(...args),
		applyCompletion: (...taken) => now(taken[0]).applyCompletion(...taken),
		shouldTriggerFileCompletion: (...at) => now().shouldTriggerFileCompletion(...at),
	};
}

/** Paths in the first directory are relative to it, those in the others absolute. */
function filesIn(directories: readonly string[]): FileSource {
	return async (query, signal) => {
		const find = { query: query || ".", limit: limits.mentions, hidden: true, cache: true, signal };
		const matches = await Promise.all(
			directories.map(async (root, at) => {
				const found = await fuzzyFind({ ...find, root });
				return found.map(({ path }) => (at === 0 ? path : `${root}/${path}`));
			}),
		);
		return matches.flat();
	};
}
