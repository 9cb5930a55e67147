/** What may be meant by what stands before the cursor: commands after a slash, their arguments, files after an @. */
import type { CommandInfo } from "@tau/wire";

import { limits } from "../limits.ts";
import type { OpenSession } from "../store/open-session.ts";
import { commandsOf } from "../store/page-commands.ts";

export interface Suggestion {
	readonly label: string;
	readonly hint?: string | undefined;
	readonly description?: string | undefined;
	/** What replaces the text from `from` to the cursor. */
	readonly insert: string;
	readonly from: number;
}

export interface Typed {
	readonly text: string;
	readonly cursor: number;
}

/** Never rejects: without an answer there is nothing to suggest. */
export async function suggestionsFor(
	session: OpenSession,
	{ text, cursor }: Typed,
	signal: AbortSignal,
): Promise<readonly Suggestion[]> {
	const before = text.slice(0, cursor);
	try {
		const [, name] = /^\/([\w:.-]*)$/.exec(before) ?? [];
		if (name !== undefined) return commandSuggestions(commandsOf(session), name);
		const [, command, prefix = ""] = /^\/([\w:.-]+)[ \t]+([^\n]*)$/.exec(before) ?? [];
		if (command !== undefined) return await argumentSuggestions(session, command, prefix, cursor, signal);
		const [, path] = /(?:^|\s)@([^\s@]*)$/.exec(before) ?? [];
		return path === undefined ? [] : await fileSuggestions(session, path, cursor, signal);
	} catch {
		return [];
	}
}

function commandSuggestions(commands: readonly CommandInfo[], typed: string): Suggestion[] {
	const wanted = typed.toLowerCase();
	const rank = ({ name, aliases = [], description }: CommandInfo): number => {
		if ([name, ...aliases].some((each) => each.startsWith(wanted))) return name.startsWith(wanted) ? 0 : 1;
		return name.includes(wanted) ? 2 : description.toLowerCase().includes(wanted) ? 3 : 9;
	};
	return commands
		.map((command) => ({ command, order: rank(command) }))
		.filter(({ order }) => order < 9)
		.toSorted((one, other) => one.order - other.order || one.command.name.localeCompare(other.command.name))
		.slice(0, limits.suggestions)
		.map(({ command: { name, argumentHint, description } }) => ({
			label: `/${name}`,
			hint: argumentHint,
			description,
			insert: `/${name} `,
			from: 0,
		}));
}

async function argumentSuggestions(
	session: OpenSession,
	name: string,
	prefix: string,
	cursor: number,
	signal: AbortSignal,
): Promise<Suggestion[]> {
	const { items } = await session.client.request("complete_command", { name, prefix }, signal);
	return items.slice(0, limits.suggestions).map(({ value, label, description }) => ({
		label,
		description,
		insert: value,
		from: cursor - prefix.length,
	}));
}

async function fileSuggestions(
	session: OpenSession,
	path: string,
	cursor: number,
	signal: AbortSignal,
): Promise<Suggestion[]> {
	const { paths } = await session.client.request(
		"complete_path",
		{ query: path, limit: limits.suggestions },
		signal,
	);
	return paths.map((found) => ({
		label: found,
		// A directory is gone into; a name with blanks is quoted.
		insert: found.endsWith("/") ? `@${found}` : `@${/\s/.test(found) ? JSON.stringify(found) : found} `,
		from: cursor - path.length - 1,
	}));
}
