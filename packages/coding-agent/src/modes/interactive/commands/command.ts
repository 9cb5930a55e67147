/** A slash command: what it is called, what it does, and how what follows it is completed. */
import type { AutocompleteItem } from "@tau/tui";

import type { InteractiveHost } from "../host.ts";

export interface SlashCommand {
	/** Without the slash. */
	readonly name: string;
	readonly aliases?: readonly string[];
	readonly description: string;
	/** What comes after the name, for a reader: `<name>`, `[model]`. */
	readonly argumentHint?: string;
	/** Reserved name; extensions may take it. */
	readonly isPlaceholder?: true;
	/** The command expands to a prompt for the model, with all attachments: the session expands it. */
	readonly isPrompt?: true;
	complete?(prefix: string, host: InteractiveHost): AutocompleteItem[] | Promise<AutocompleteItem[]>;
	/** A thrown error is shown; its message is for the user. */
	run(args: string, host: InteractiveHost): void | Promise<void>;
}
