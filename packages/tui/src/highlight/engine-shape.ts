/** The part of highlight.js that we use, with its own type names. */

import type { SpanEmitter } from "./span-emitter.ts";

export type Grammar = (engine: Engine) => object;

export interface Engine {
	registerLanguage(name: string, grammar: Grammar): void;
	getLanguage(name: string): object | undefined;
	configure(options: { __emitter: typeof SpanEmitter }): void;
	highlight(code: string, options: { language: string; ignoreIllegals: boolean }): Highlighted;
}

export interface Highlighted {
	_emitter: SpanEmitter;
	/** The construct that is open at the end; the language itself has no parent. */
	_top?: { parent?: object };
}
