/** `/theme`: selects the colours, with a live preview, and stores the choice. */
import type { SlashCommand } from "./command.ts";

export const theme: SlashCommand = {
	name: "theme",
	argumentHint: "[name]",
	description: "Change the color theme",
	complete: (prefix, { theme: store }) =>
		store
			.list()
			.filter(({ name }) => name.startsWith(prefix))
			.map(({ name, path }) => ({
				value: name,
				label: name,
				...(path === undefined ? {} : { description: path }),
			})),
	async run(args, host) {
		const choices = host.theme.list().map(({ name, path }) => ({
			value: name,
			label: name === host.theme.name ? `${name} (now)` : name,
			...(path === undefined ? {} : { description: path }),
		}));
		const chosen = args === "" ? await host.ask.select("Theme", choices) : args;
		if (chosen === undefined) return;
		const outcome = host.theme.set(chosen);
		if (!outcome.ok) throw new Error(outcome.message);
		const setOutcome = await host.settings.set("theme", chosen, "global");
		if (!setOutcome.ok) host.notify(`The theme applies to this run only: ${setOutcome.reason}`, "warning");
	},
};
