/** The tool by which the model finds deferred tools; found ones are declared from the next request on. */
import type { SessionTool } from "@tau/session/run";
import { isRecord, onDispose, oneLine } from "@tau/utils";

import { textResult } from "../tool/result.ts";
import prompt from "./search-tools.md" with { type: "text" };

const limits = {
	/** Tools that one search returns, at most and by default. */
	found: 20,
	foundDefault: 8,
	/** Of a description in the list; the whole one is declared afterwards. */
	descriptionChars: 300,
	/** The names of MCP servers in the declaration, which is part of every request. */
	listChars: 400,
} as const;

/** Where deferred tools come from. Its words are part of every request, and should change only when the user changes something. */
export interface SearchSource {
	/** What the declaration says of it, such as `MCP servers`. */
	readonly title?: string;
	names(): readonly string[];
	/**
	 * Waits for tools that are still coming; returns what to say about those that are not there. The user reads in
	 * `onWait` what is waited for.
	 */
	wait?(query: string, signal: AbortSignal, onWait: (what: string) => void): Promise<readonly string[]>;
}

interface Searched {
	find(query: string): readonly SessionTool[];
	reveal(names: Iterable<string>): void;
}

/** The search of one registry: there as long as something can be found. */
export class ToolSearch {
	readonly #registry: Searched;
	readonly #onChange: (tool: SessionTool | undefined) => void;
	readonly #sources = new Set<SearchSource>();
	#description = "";
	#frozen: ReadonlyMap<string, readonly string[]> | undefined;

	constructor(registry: Searched, onChange: (tool: SessionTool | undefined) => void) {
		this.#registry = registry;
		this.#onChange = onChange;
	}

	add(source: SearchSource): Disposable {
		this.#sources.add(source);
		this.refresh();
		return onDispose(() => {
			this.#sources.delete(source);
			this.refresh();
		});
	}

	/**
	 * From now on the declaration names the same servers: it stands before the whole conversation, and a change would make
	 * the provider read all of it again. `changes` reports what changes.
	 */
	freeze(): void {
		this.#frozen ??= this.#titled();
	}

	/** The names that were added and removed since the declaration, with their titles. */
	changes(): { added: string[]; removed: string[] } {
		const [before, now] = [this.#frozen ?? this.#titled(), this.#titled()];
		return { added: missingIn(before, now), removed: missingIn(now, before) };
	}

	/** The tools that can be found may have changed. */
	refresh(): void {
		const own = [...this.#sources].flatMap((source) => {
			const names = source.title === undefined ? source.names() : [];
			return names.length === 0 ? [] : [listOf(names)];
		});
		const now = this.#titled();
		// Where nothing was declared, the search itself has to be.
		const isDeclared = this.#frozen && (own.length > 0 || this.#frozen.size > 0);
		const titled = isDeclared ? this.#frozen : now;
		const lists = [...own, ...Array.from(titled ?? [], ([title, names]) => `${title} ${listOf(names)}`)];
		const description =
			lists.length === 0 ? "" : prompt.trim().replace("{{sources}}", () => lists.join("; "));
		if (description === this.#description) return;
		this.#description = description;
		this.#onChange(description === "" ? undefined : this.#tool(description));
	}

	#titled(): ReadonlyMap<string, readonly string[]> {
		const all = [...this.#sources].flatMap(({ title, names }) =>
			title === undefined || names().length === 0 ? [] : [[title, names()] as const],
		);
		return new Map(all);
	}

	#tool(description: string): SessionTool {
		return {
			name: "search_tools",
			label: "Search tools",
			description,
			parameters: {
				type: "object",
				properties: {
					query: { type: "string" },
					limit: { type: "integer" },
				},
				required: ["query"],
			},
			concurrency: "shared",
			approval: "read",
			touches: () => [],
			validate: (input) =>
				typeof input.query === "string"
					? { ok: true, value: { ...input } }
					: { ok: false, reason: "query: expected a string. Expected: query, limit." },
			execute: async (_, { query, limit }, signal, onUpdate) => {
				const onWait = (what: string): void => onUpdate(textResult(what));
				const waits = [...this.#sources].map((source) => source.wait?.(String(query), signal, onWait) ?? []);
				const notes = (await Promise.all(waits)).flat();
				const most = Math.min(Math.max(1, Number(limit) || limits.foundDefault), limits.found);
				const matches = this.#registry.find(String(query)).slice(0, most);
				this.#registry.reveal(matches.map(({ name }) => name));
				const rows = matches.map(
					(tool) =>
						`${tool.name}: ${oneLine(tool.description, limits.descriptionChars)}${parametersOf(tool)}`,
				);
				const head = rows.length === 0 ? ["No tool matches."] : ["You can call these tools now:", ...rows];
				const found = matches.map(({ name }) => name);
				const { content, details } = textResult(head.join("\n"), { found });
				// Where the provider declares the tools in place of the list, notes have to be apart from it.
				const more = notes.length > 0 ? [{ type: "text" as const, text: notes.join("\n") }] : [];
				return { content: [...content, ...more], details, foundTools: found };
			},
		};
	}
}

/** What `other` has and `one` has not, such as `the tools of the MCP servers a, b`. */
function missingIn(
	one: ReadonlyMap<string, readonly string[]>,
	other: ReadonlyMap<string, readonly string[]>,
): string[] {
	return Array.from(other, ([title, names]) => {
		const fresh = names.filter((name) => !one.get(title)?.includes(name));
		return fresh.length === 0 ? "" : `${title} ${listOf(fresh)}`;
	}).filter(Boolean);
}

function listOf(names: readonly string[]): string {
	let text = "";
	for (const [at, name] of names.entries()) {
		const next = text === "" ? name : `${text}, ${name}`;
		if (next.length > limits.listChars) return `${text} and ${names.length - at} more`;
		text = next;
	}
	return text;
}

function parametersOf({ parameters }: SessionTool): string {
	const properties = isRecord(parameters.properties) ? Object.keys(parameters.properties) : [];
	const required = new Set(Array.isArray(parameters.required) ? parameters.required : []);
	if (properties.length === 0) return "";
	return ` (${properties.map((name) => (required.has(name) ? name : `${name}?`)).join(", ")})`;
}
