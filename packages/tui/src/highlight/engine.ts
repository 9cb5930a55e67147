/** Loads the highlighter and its grammars on demand, and reports when more are loaded. */
import { setImmediate } from "node:timers/promises";

import type { Engine } from "./engine-shape.ts";
import { embedded, grammarFor, grammars } from "./languages.ts";
import { SpanEmitter } from "./span-emitter.ts";

let core: Engine | undefined;
const loading = new Map<string, Promise<boolean>>();
let version = 0;
const listeners = new Set<() => void>();

/** Incremented with every loaded grammar: text that was drawn without it can be redrawn. */
export function highlighterVersion(): number {
	return version;
}

/**
 * Calls back when a grammar was loaded, so that a screen can be redrawn; returns a function that removes the
 * listener.
 */
export function onHighlighterReady(listener: () => void): () => void {
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** The highlighter, if the grammar is loaded; otherwise it is loaded for the next time. */
export function readyEngine(grammar: string): Engine | undefined {
	if (core?.getLanguage(grammar) !== undefined) return core;
	if (!loading.has(grammar)) void loadLanguage(grammar);
	return undefined;
}

/** Resolves with whether the language can be highlighted, once it is loaded. Never rejects. */
export function loadLanguage(language: string): Promise<boolean> {
	const grammar = grammarFor(language);
	if (grammar === undefined) return Promise.resolve(false);
	const pending = loading.get(grammar);
	if (pending) return pending;
	const made = load(grammar).catch(() => false);
	loading.set(grammar, made);
	return made;
}

async function load(grammar: string): Promise<boolean> {
	const needed = [grammar, ...(embedded[grammar] ?? [])];
	// A plain string keeps the package's types out (highlight-js.d.ts); bundlers still resolve it.
	const { default: engine }: { default: Engine } = await import("highlight.js/lib/core" as string);
	engine.configure({ __emitter: SpanEmitter });
	const definitions = await Promise.all(needed.map((name) => grammars[name]?.()));
	for (const [at, name] of needed.entries()) {
		const definition = definitions[at]?.default;
		if (definition && engine.getLanguage(name) === undefined) engine.registerLanguage(name, definition);
	}
	// Its first use compiles it, which takes up to 40 ms: not in a frame, and with room for a key before and after.
	await setImmediate();
	engine.highlight("", { language: grammar, ignoreIllegals: true });
	await setImmediate();
	core = engine;
	version++;
	for (const listener of listeners) listener();
	return true;
}
