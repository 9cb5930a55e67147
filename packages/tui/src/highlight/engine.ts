/** Loads the highlighter and its grammars when code asks for them, and says when more has come. */
import type { Engine } from "./engine-shape.ts";
import { embedded, grammarFor, grammars } from "./languages.ts";

let core: Engine | undefined;
const loading = new Map<string, Promise<boolean>>();
let version = 0;
const listeners = new Set<() => void>();

/** Grows with every grammar that has come: what was drawn without it can be drawn better now. */
export function highlighterVersion(): number {
	return version;
}

/** Calls back when a grammar has come, so that a screen can be drawn again; gives what ends that. */
export function onHighlighterReady(listener: () => void): () => void {
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** The highlighter, if it can do this grammar by now; it is fetched for the next time otherwise. */
export function readyEngine(grammar: string): Engine | undefined {
	if (core?.getLanguage(grammar) !== undefined) return core;
	if (!loading.has(grammar)) void loadLanguage(grammar);
	return undefined;
}

/** Whether the language can be coloured; when that is said, it can be. Never fails. */
export function loadLanguage(language: string): Promise<boolean> {
	const grammar = grammarFor(language);
	if (grammar === undefined) return Promise.resolve(false);
	const known = loading.get(grammar);
	if (known) return known;
	const made = load(grammar).catch(() => false);
	loading.set(grammar, made);
	return made;
}

async function load(grammar: string): Promise<boolean> {
	const wanted = [grammar, ...(embedded[grammar] ?? [])];
	// As a mere string it keeps the package's types out (highlight-js.d.ts); bundlers see through that.
	const { default: engine }: { default: Engine } = await import("highlight.js/lib/core" as string);
	const definitions = await Promise.all(wanted.map((name) => grammars[name]?.()));
	for (const [at, name] of wanted.entries()) {
		const definition = definitions[at]?.default;
		if (definition && engine.getLanguage(name) === undefined) engine.registerLanguage(name, definition);
	}
	core = engine;
	version++;
	for (const listener of listeners) listener();
	return true;
}
