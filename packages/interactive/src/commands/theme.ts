/** `/theme`: selects the colors, with a live preview, and stores the choice. */
import type { Choice, InteractiveHost } from "../host.ts";
import { valueItems } from "@tau/session-commands";
import type { SlashCommand } from "./command.ts";

export const theme: SlashCommand = {
	name: "theme",
	group: "Setup",
	argumentHint: "[name]",
	description: "Change the color theme",
	complete: (prefix, { theme: store }) => {
		const themes = store.list().map(({ name, path }) => ({ value: name, description: path }));
		return valueItems(themes, prefix, store.name);
	},
	async run(args, host) {
		const choices = host.theme.list().map(({ name, path }) => ({
			value: name,
			label: name === host.theme.name ? `${name} (now)` : name,
			...(path === undefined ? {} : { description: path }),
		}));
		const chosen = args === "" ? await choose(host, choices) : args;
		if (chosen === undefined) return;
		const outcome = host.theme.set(chosen);
		if (!outcome.ok) throw new Error(outcome.message);
		const setOutcome = await host.settings.set("theme", chosen, "global");
		if (!setOutcome.ok) host.notify(`The theme applies to this run only: ${setOutcome.reason}`, "warning");
	},
};

/** Each theme applies while it is selected; Escape restores the one before. */
async function choose(host: InteractiveHost, choices: readonly Choice[]): Promise<string | undefined> {
	const before = host.theme.name;
	const chosen = await host.ask.select("Theme", choices, {
		selected: before,
		onMove: (name) => void host.theme.preview(name),
	});
	if (chosen === undefined) host.theme.preview(before);
	return chosen;
}
