/** Completes #… with the issues that the git log mentions. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function issueNames(pi: ExtensionAPI) {
	pi.on("session_start", (_event, ctx) => {
		ctx.ui.addAutocompleteProvider((current) => ({
			...current,
			async getSuggestions(lines, line, column, options) {
				const [prefix] = /#\d*$/.exec(lines[line]?.slice(0, column) ?? "") ?? [];
				if (prefix === undefined) return await current.getSuggestions(lines, line, column, options);
				const { stdout } = await pi.exec("git", ["log", "--format=%s", "-200"], {
					cwd: ctx.cwd,
					signal: options.signal,
				});
				const subjects = new Map(
					stdout
						.split("\n")
						.flatMap((subject) => [...subject.matchAll(/#\d+/g)].map(([issue]) => [issue, subject])),
				);
				const items = [...subjects].filter(([issue]) => issue.startsWith(prefix));
				return items.length === 0
					? null
					: { prefix, items: items.map(([value, description]) => ({ value, label: value, description })) };
			},
			// Applying a completion is left to the previous provider, called as a method of it.
			applyCompletion: (...given) => current.applyCompletion(...given),
		}));
	});
}
