/** The part of highlight.js that we use, with its own type names. */

export type Grammar = (engine: Engine) => object;

export interface Engine {
	registerLanguage(name: string, grammar: Grammar): void;
	getLanguage(name: string): object | undefined;
	highlight(code: string, options: { language: string; ignoreIllegals: boolean }): Highlighted;
}

export interface Highlighted {
	/** HTML: text and `<span class="hljs-…">`. */
	value: string;
	/** The construct that is open at the end; the language itself has no parent. */
	_top?: { parent?: object };
}
