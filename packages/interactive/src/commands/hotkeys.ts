/** `/hotkeys`: the current keybindings. */
import { formatKeyText, TUI_KEYBINDINGS, type Keybinding } from "@tau/tui";

import { appActions } from "../keys.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

const editorActions = Object.keys(TUI_KEYBINDINGS).filter(
	(id) => !id.startsWith("tui.select."),
) as Keybinding[];

export const hotkeys: SlashCommand = {
	name: "hotkeys",
	group: "Setup",
	aliases: ["keys"],
	description: "Show keyboard shortcuts",
	run(_, host) {
		const rows = [...appActions, ...editorActions].flatMap((action): [string, string][] => {
			const keys = host.keys.getKeys(action).map(formatKeyText).join(", ");
			return keys === "" ? [] : [[keys, host.keys.getDefinition(action).description ?? action]];
		});
		host.print(linesBlock(host, rows));
	},
};
