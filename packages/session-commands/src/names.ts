/** Which command a name means, where built-in ones, extensions, templates and skills share names. */
import { nearest } from "@tau/utils";

import type { CommandWords } from "./command.ts";

/** Commands that were added to the built-in ones. */
export interface Added<T> {
	/** These replace the built-in ones of the same name. */
	readonly replacing: readonly T[];
	/** Commands of extensions, and names that expand to a prompt. */
	readonly found: readonly T[];
}

/** All commands by their own names; a built-in one that is replaced is `tau:name`. */
export function allCommands<T extends CommandWords>(own: readonly T[], { replacing, found }: Added<T>): T[] {
	const isFirst = (command: T): boolean =>
		!command.isPrompt || own.some((each) => each.yieldsToPrompts && namesOf(command).includes(each.name));
	const added = [...replacing, ...found.filter(isFirst)];
	const names = new Set(added.flatMap((command) => (command.isPrompt ? namesOf(command) : command.name)));
	const replaced = own.filter(({ name }) => names.has(name));
	const all = [...own.filter(({ name }) => !names.has(name)), ...added, ...replaced.map(prefixed)];
	const taken = new Set(all.flatMap(namesOf));
	return [...all, ...found.filter((command) => !isFirst(command) && !taken.has(command.name))];
}

/** A built-in command that another one of the same name replaces. */
function prefixed<T extends CommandWords>({ aliases: _, ...command }: T): T {
	return { ...command, name: `tau:${command.name}` } as unknown as T;
}

/** `tau:name` is always the built-in one; a name comes before the alias of another command. */
export function findCommand<T extends CommandWords>(
	name: string,
	own: readonly T[],
	all: readonly T[],
): T | undefined {
	const [, builtin] = /^tau:(.+)$/.exec(name) ?? [];
	const [list, wanted] = builtin === undefined ? [all, name] : [own, builtin];
	return (
		list.find((command) => command.name === wanted) ?? list.find(({ aliases }) => aliases?.includes(wanted))
	);
}

/** What to say about a name that no command has. */
export function unknownCommand(name: string, all: readonly Pick<CommandWords, "name">[]): string {
	const near = nearest(
		name,
		all.map((command) => command.name),
		2,
	);
	const hint = near.length > 0 ? `Did you mean ${near.map((one) => `/${one}`).join(" or ")}?` : "See /help.";
	return `Unknown command /${name}. ${hint}`;
}

function namesOf({ name, aliases = [] }: CommandWords): string[] {
	return [name, ...aliases];
}
