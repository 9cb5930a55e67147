/** Colors of code. The highlighter and each language are loaded at their first use. */
import core from "highlight.js/lib/core";

import { grammars, languageOf } from "./languages.ts";
import { NodeEmitter } from "./node-emitter.ts";

core.configure({ __emitter: NodeEmitter as never });
const loading = new Map<string, Promise<boolean>>();

/** Undefined for a language that is not known. Never rejects: then the code stays as it is. */
export async function highlighted(text: string, language: string): Promise<DocumentFragment | undefined> {
	const name = languageOf(language);
	if (name === undefined || !(await loaded(name))) return undefined;
	const { _emitter } = core.highlight(text, { language: name, ignoreIllegals: true });
	return (_emitter as unknown as NodeEmitter).nodes;
}

function loaded(name: string): Promise<boolean> {
	const known = loading.get(name);
	if (known) return known;
	const started = load(name).catch(() => false);
	loading.set(name, started);
	return started;
}

async function load(name: string): Promise<boolean> {
	const grammar = await grammars[name]?.();
	if (!grammar) return false;
	core.registerLanguage(name, grammar.default);
	return true;
}
