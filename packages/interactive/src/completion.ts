/** What the editor offers while one types: commands with their arguments, files of the project, resources of servers. */
import {
	CombinedAutocompleteProvider,
	type AutocompleteProvider,
	type AutocompleteSuggestions,
	type FileSource,
} from "@tau/tui";
import { fuzzyFilter, fuzzyFind } from "@tau/sys";

import { workDirectories } from "@tau/session-commands/shared/attachments";
import type { InteractiveHost } from "./host.ts";
import { editorMentions } from "./ide/ide.ts";
import { limits } from "./limits.ts";
import { cellIn } from "./typed-cell.ts";

/** An address of a resource that is not mentioned with an `@`. */
const resourceAddress = /(?:^|[\s(=])(mcp:[^\s"]*)$/;

/** Commands come and go with extensions, so they are asked for each time. */
export function completionFor(host: InteractiveHost): AutocompleteProvider {
	const now = (lines: readonly string[] = []): CombinedAutocompleteProvider => {
		const [, typed] = /^\/(\S+)/.exec(lines[0] ?? "") ?? [];
		const offered = host.commands.all.map(({ name, aliases, description, argumentHint, complete }) => ({
			// Another name is offered only where it was typed: Enter must not replace it by what looks similar.
			name: aliases?.find((alias) => alias === typed) ?? name,
			description,
			...(argumentHint === undefined ? {} : { argumentHint }),
			...(complete ? { getArgumentCompletions: (prefix: string) => complete(prefix, host) } : {}),
		}));
		// The files of a guest's session are on another machine.
		return new CombinedAutocompleteProvider(offered, host.cwd, host.guest ? noFiles : mentionsIn(host));
	};
	return {
		getSuggestions: async (lines, line, col, options) =>
			(options.force ? await namesIn(host, lines, line, col, options.signal) : undefined) ??
			addresses(host, (lines[line] ?? "").slice(0, col)) ??
			(await now(lines).getSuggestions(lines, line, col, options)),
		applyCompletion: (...taken) => now(taken[0]).applyCompletion(...taken),
		shouldTriggerFileCompletion: (...at) => now().shouldTriggerFileCompletion(...at),
	};
}

/** In a cell, the completion key offers the variables of its interpreter; nothing is started for it. */
async function namesIn(
	{ toolEnv }: InteractiveHost,
	lines: readonly string[],
	line: number,
	col: number,
	signal: AbortSignal,
): Promise<AutocompleteSuggestions | undefined> {
	const cell = cellIn(lines.join("\n"));
	const [text] = /[A-Za-z_][\w.]*$/.exec((lines[line] ?? "").slice(0, col)) ?? [];
	if (!cell || text === undefined || !toolEnv) return undefined;
	const { cellsService } = await import("@tau/integrations/eval");
	const names = (await toolEnv.services.peek(cellsService)?.complete(cell.language, text, signal)) ?? [];
	if (names.length === 0) return undefined;
	const prefix = text.slice(text.lastIndexOf(".") + 1);
	return { items: names.map((value) => ({ value, label: value })), prefix };
}

const noFiles: FileSource = async () => [];

/** What a connected editor has, files of the project, and resources of MCP servers; after `@mcp:` only the resources. */
function mentionsIn(host: InteractiveHost): FileSource {
	const files = filesIn(workDirectories(host.cwd, host.settings));
	return async (query, signal) => {
		const isAddress = query.startsWith("mcp:");
		const paths = isAddress ? [] : await files(query, signal);
		const ofEditor =
			host.ide.link && query !== "" ? editorMentions.filter((name) => name.startsWith(query)) : [];
		return [...ofEditor, ...paths, ...resourcesFor(host, query).map(({ url }) => url)];
	};
}

function resourcesFor(
	{ mcpOffers }: InteractiveHost,
	query: string,
): readonly { url: string; description: string }[] {
	return fuzzyFilter([...(mcpOffers?.resources ?? [])], query, ({ url }) => url).slice(0, limits.mentions);
}

function addresses(host: InteractiveHost, before: string): AutocompleteSuggestions | undefined {
	const [, prefix] = resourceAddress.exec(before) ?? [];
	if (prefix === undefined) return undefined;
	const items = resourcesFor(host, prefix).map(({ url, description }) => ({
		value: url,
		label: url,
		description,
	}));
	return items.length === 0 ? undefined : { items, prefix };
}

/** Paths in the first directory are relative to it, those in the others absolute. */
function filesIn(directories: readonly string[]): FileSource {
	return async (query, signal) => {
		const find = { query: query || ".", limit: limits.mentions, hidden: true, cache: true, signal };
		const matches = await Promise.all(
			directories.map(async (root, at) => {
				const own = await fuzzyFind({ ...find, root });
				// Files of dependencies follow the project's own, where there is room for them.
				const all = own.length < limits.mentions ? await fuzzyFind({ ...find, root, nodeModules: true }) : [];
				const paths = new Set([...own, ...all].map(({ path }) => path));
				return [...paths].slice(0, limits.mentions).map((path) => (at === 0 ? path : `${root}/${path}`));
			}),
		);
		return matches.flat();
	};
}
