/** The one table of tools of a session: the source of each, and the layers that hide it. */
import { log, onDispose } from "@tau/utils";
import {
	toolLayers,
	type SessionTool,
	type SessionTools,
	type ToolEntry,
	type ToolLayer,
} from "@tau/session/run";

import { rankTools } from "./search-index.ts";
import { ToolSearch, type SearchSource } from "./search-tools.ts";

export type ToolSource = "builtin" | "custom" | `extension:${string}` | `mcp:${string}`;

/** Names, or a question that is also asked about tools that come later. */
export type HiddenTools = Iterable<string> | ((name: string) => boolean);

interface Registration {
	readonly tool: SessionTool;
	readonly source: ToolSource;
	/** The model has to search for it; its schema is in no request until it is revealed. */
	readonly isDeferred: boolean;
}

/** Waits until the source of a tool with this name has added it, or will not. */
export type LateSource = (name: string, signal: AbortSignal) => Promise<void>;

export class ToolRegistry implements SessionTools {
	/** Tools by name, in the order of their first registration; the last registration of a name is in use. */
	readonly #tools = new Map<string, Registration[]>();
	readonly #layers = new Map<ToolLayer, (name: string) => boolean>();
	readonly #listeners = new Set<() => void>();
	readonly #lateSources = new Set<LateSource>();
	/** The deferred tools that the model has, in the order in which it got them; a server that restarts keeps its place. */
	readonly #revealed = new Set<string>();
	readonly #search = new ToolSearch(this, (tool) => this.#offerSearch(tool));
	#searchRegistration: Disposable | undefined;
	#visible: readonly SessionTool[] | undefined;
	#batches = 0;
	#isChanged = false;

	/** Registers a tool, which replaces one with the same name until it is unregistered. */
	register(
		source: ToolSource,
		tools: readonly SessionTool[],
		{ deferred = false }: { deferred?: boolean } = {},
	): Disposable {
		const added = tools.map((tool): Registration => ({ tool, source, isDeferred: deferred }));
		for (const one of added) {
			const same = this.#tools.get(one.tool.name);
			if (same) same.push(one);
			else this.#tools.set(one.tool.name, [one]);
		}
		if (added.length > 0) this.#changed();
		return onDispose(() => this.#unregister(added));
	}

	get visible(): readonly SessionTool[] {
		this.#visible ??= this.#listVisible();
		return this.#visible;
	}

	/** Revealed tools come last: what a provider has cached of the tools before them stays valid. */
	#listVisible(): SessionTool[] {
		const stable = this.#inUse().flatMap(({ tool, isDeferred }) => (isDeferred ? [] : [tool]));
		const revealed = [...this.#revealed].flatMap((name) => {
			const last = this.#tools.get(name)?.at(-1);
			return last?.isDeferred ? [last.tool] : [];
		});
		return [...stable, ...revealed].filter(({ name }) => this.#hiddenBy(name).length === 0);
	}

	get entries(): readonly ToolEntry[] {
		return this.#inUse().map(({ tool, source, isDeferred }) => ({
			tool,
			source,
			hiddenBy: this.#hiddenBy(tool.name),
			isDeferred: isDeferred && !this.#revealed.has(tool.name),
		}));
	}

	get(name: string): SessionTool | undefined {
		return this.#tools.get(name)?.at(-1)?.tool;
	}

	/** The tool in use under this name, even if it is hidden. */
	registration(name: string): Registration | undefined {
		return this.#tools.get(name)?.at(-1);
	}

	async resolve(name: string, signal: AbortSignal): Promise<SessionTool | undefined> {
		if (!this.#tools.has(name)) await Promise.all([...this.#lateSources].map((wait) => wait(name, signal)));
		const tool = this.get(name) ?? this.#byAlias(name);
		if (!tool || this.#hiddenBy(tool.name).length > 0) return undefined;
		// The model knows it and uses it: from the next request on it also has its schema.
		this.reveal([tool.name]);
		return tool;
	}

	/** Models know some tools by the names that other agents gave them. */
	#byAlias(name: string): SessionTool | undefined {
		for (const layers of this.#tools.values()) {
			const tool = layers.at(-1)?.tool;
			if (tool?.aliases?.includes(name)) return tool;
		}
		return undefined;
	}

	/** For a source whose tools come later than the first prompt. */
	addLateSource(source: LateSource): Disposable {
		this.#lateSources.add(source);
		return onDispose(() => this.#lateSources.delete(source));
	}

	hide(layer: ToolLayer, names: HiddenTools): void {
		const hidden = typeof names === "function" ? names : setOf(names);
		this.#layers.set(layer, hidden);
		this.batch(() => {
			this.#search.refresh();
			this.#changed();
		});
	}

	hidden(layer: ToolLayer): ReadonlySet<string> {
		const hides = this.#layers.get(layer) ?? (() => false);
		return new Set([...this.#tools.keys()].filter((name) => hides(name)));
	}

	/** Returns the deferred tools that match the query, best first, also those that are revealed already. */
	find(query: string): readonly SessionTool[] {
		return rankTools(this.deferred, query);
	}

	/** The tools that the model has to search for, as far as no layer hides them. */
	get deferred(): readonly SessionTool[] {
		return this.#inUse().flatMap(({ tool, isDeferred }) =>
			isDeferred && this.#hiddenBy(tool.name).length === 0 ? [tool] : [],
		);
	}

	/** Deferred tools can be searched for as long as there is a source of them. */
	addSearchSource(source: SearchSource): Disposable {
		return this.#search.add(source);
	}

	/** The search as the model knows it, and what has changed since. */
	get search(): Pick<ToolSearch, "freeze" | "changes"> {
		return this.#search;
	}

	/** Enables the deferred tools of these names for the model, also those to come, unless a layer hides them. */
	reveal(names: Iterable<string>): void {
		const fresh = [...names].filter(
			(name) => !this.#revealed.has(name) && this.#tools.get(name)?.at(-1)?.isDeferred !== false,
		);
		for (const name of fresh) this.#revealed.add(name);
		if (fresh.length > 0) this.#changed();
	}

	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** Groups several changes, so that listeners see only the outcome. */
	batch(work: () => void): void {
		this.#batches++;
		try {
			work();
		} finally {
			this.#batches--;
			if (this.#batches === 0 && this.#isChanged) this.#changed();
		}
	}

	#unregister(gone: readonly Registration[]): void {
		let isGone = false;
		for (const one of gone) {
			const { name } = one.tool;
			const all = this.#tools.get(name) ?? [];
			const rest = all.filter((each) => each !== one);
			isGone ||= rest.length < all.length;
			if (rest.length === 0) this.#tools.delete(name);
			else this.#tools.set(name, rest);
		}
		if (isGone) this.#changed();
	}

	#offerSearch(tool: SessionTool | undefined): void {
		this.batch(() => {
			this.#searchRegistration?.[Symbol.dispose]();
			this.#searchRegistration = tool && this.register("builtin", [tool]);
		});
	}

	#inUse(): Registration[] {
		return [...this.#tools.values()].flatMap((registrations) => registrations.slice(-1));
	}

	#hiddenBy(name: string): ToolLayer[] {
		return toolLayers.filter((layer) => this.#layers.get(layer)?.(name) ?? false);
	}

	#changed(): void {
		this.#visible = undefined;
		this.#isChanged = this.#batches > 0;
		if (this.#isChanged) return;
		for (const listener of this.#listeners) {
			try {
				listener();
			} catch (error) {
				log.error("a listener of the tool registry failed", { reason: String(error) });
			}
		}
	}
}

function setOf(names: Iterable<string>): (name: string) => boolean {
	const set = new Set(names);
	return (name) => set.has(name);
}
