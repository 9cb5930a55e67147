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
	/** What it stands for is said to the model, with all that was sent along: the session puts it in. */
	readonly isPrompt?: true;
	complete?(prefix: string, host: InteractiveHost): AutocompleteItem[] | Promise<AutocompleteItem[]>;
	/** What it throws is shown as an error; its message is for a person. */
	run(args: string, host: InteractiveHost): void | Promise<void>;
}
