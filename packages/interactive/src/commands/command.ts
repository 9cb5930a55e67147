/** A slash command on the screen: how it is called, and what it does there. */
import type { AutocompleteItem } from "@tau/tui";

import type { CommandWords } from "@tau/session-commands";
import type { InteractiveHost } from "../host.ts";

export interface SlashCommand extends CommandWords {
	complete?(prefix: string, host: InteractiveHost): AutocompleteItem[] | Promise<AutocompleteItem[]>;
	/** A thrown error is shown; its message is for the user. */
	run(args: string, host: InteractiveHost): void | Promise<void>;
}
