/** `/hotkeys`: the current keybindings, with search. */
import { openShortcuts } from "../selectors/shortcuts/selector.ts";
import type { SlashCommand } from "./command.ts";

export const hotkeys: SlashCommand = {
	name: "hotkeys",
	group: "Setup",
	aliases: ["keys"],
	description: "Show keyboard shortcuts",
	run: (_, host) => openShortcuts(host, host.keys),
};
