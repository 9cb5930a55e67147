/** A slash command: what it is called, what it does, and how what follows it is completed. */
import { resolve } from "node:path";

import type { AutocompleteItem } from "@tau/tui";
import { expandHome } from "@tau/utils";

import type { InteractiveHost } from "../host.ts";

/** The headings of `/help`, in their order. */
export const commandGroups = ["Session", "Model", "Context", "Tools", "Setup"] as const;

export interface SlashCommand {
	/** Without the slash. */
	readonly name: string;
	/** Where `/help` lists it; those of extensions and the like have a heading of their own. */
	readonly group?: (typeof commandGroups)[number];
	/** More than one line about it, for `/help <name>`. */
	readonly details?: string;
	readonly aliases?: readonly string[];
	readonly description: string;
	/** What comes after the name, for a reader: `<name>`, `[model]`. */
	readonly argumentHint?: string;
	/** The words that mean something to it, beside those that it completes; each can be written as an option, `--word`. */
	readonly words?: readonly string[];
	/** Options may follow a text; otherwise they come first. */
	readonly optionsAnywhere?: true;
	/** What follows is a text, which may begin with anything. */
	readonly takesText?: true;
	/** A prompt template of the user with this name takes its place: it is a name that users have chosen before. */
	readonly yieldsToPrompts?: true;
	/** Reserved name; extensions may take it. */
	readonly isPlaceholder?: true;
	/** The command expands to a prompt for the model, with all attachments: the session expands it. */
	readonly isPrompt?: true;
	complete?(prefix: string, host: InteractiveHost): AutocompleteItem[] | Promise<AutocompleteItem[]>;
	/** A thrown error is shown; its message is for the user. */
	run(args: string, host: InteractiveHost): void | Promise<void>;
}

/** The values that fit what was typed; the one that applies now says so. */
export function valueItems(
	values: readonly { value: string; description?: string | undefined }[],
	prefix: string,
	current: string | undefined,
): AutocompleteItem[] {
	return values
		.filter(({ value }) => value.startsWith(prefix))
		.map(({ value, description = "" }) => {
			const about = [value === current ? "current" : "", description].filter(Boolean).join(" · ");
			return { value, label: value, ...(about === "" ? {} : { description: about }) };
		});
}

/** A path as a user types it: the rest of the line, with or without the quotes that a shell would need. */
export function pathArgument(args: string, cwd: string): string {
	return resolve(cwd, expandHome(/^(["'])(.+)\1$/.exec(args)?.[2] ?? args));
}
