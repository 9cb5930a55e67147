/** Leaves files out of searches and lists of a machine: what may not be read is not found either. */
import { join } from "node:path";

import { layered } from "./layered.ts";
import type { Machine } from "./machine.ts";

/** The same machine; `isHidden` is asked about each file that a search finds, unless the search names the file itself. */
export function withHiddenFiles(machine: Machine, isHidden: (path: string) => boolean): Machine {
	return {
		...machine,
		files: layered(machine.files, (files) => ({
			async glob(options) {
				const found = await files.glob(options);
				const entries = found.entries.filter(({ path }) => !isHidden(join(found.root, path)));
				return { ...found, entries };
			},
			async search(options, onEvent) {
				const named = new Set(options.paths);
				let [matches, count] = [0, 0];
				const outcome = await files.search(options, (event) => {
					if (!named.has(event.path) && isHidden(event.path)) return undefined;
					if (event.type === "end") {
						matches += event.matches;
						count += 1;
					}
					return onEvent(event);
				});
				return outcome.ok ? { ...outcome, matches, files: count } : outcome;
			},
		})),
	};
}
