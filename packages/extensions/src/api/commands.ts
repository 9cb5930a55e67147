/** The commands that extensions have registered, under the names that a user types. */
import type { Extension } from "./extension.ts";
import type { CommandOptions, SlashCommandInfo } from "./types.ts";

export interface NamedCommand {
	name: string;
	extension: Extension;
	command: CommandOptions;
}

export class CommandTable {
	readonly #extensions: readonly Extension[];

	constructor(extensions: readonly Extension[]) {
		this.#extensions = extensions;
	}

	/** Commands with the same name get numbers: `/review:1`, `/review:2`. Those that come with Tau yield to others. */
	list(): NamedCommand[] {
		const every = this.#extensions.flatMap((extension) =>
			[...extension.commands].map(([name, command]) => ({ name, extension, command })),
		);
		const taken = new Set(every.flatMap(({ name, extension }) => (isShipped(extension) ? [] : [name])));
		const all = every.filter(({ name, extension }) => !isShipped(extension) || !taken.has(name));
		const counts = new Map<string, number>();
		return all.map((each) => {
			const count = (counts.get(each.name) ?? 0) + 1;
			counts.set(each.name, count);
			const isAlone = all.filter(({ name }) => name === each.name).length === 1;
			return isAlone ? each : { ...each, name: `${each.name}:${count}` };
		});
	}

	info(): SlashCommandInfo[] {
		return this.list().map(({ name, command: { description }, extension: { sourceInfo } }) => ({
			name,
			...(description === undefined ? {} : { description }),
			source: "extension",
			sourceInfo,
		}));
	}

	/** `/name and the rest`. */
	find(text: string): (NamedCommand & { args: string }) | undefined {
		const [, name, rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
		const command = name === undefined ? undefined : this.list().find((each) => each.name === name);
		return command && { ...command, args: rest.trim() };
	}
}

function isShipped({ sourceInfo }: Extension): boolean {
	return sourceInfo.source === "builtin";
}
