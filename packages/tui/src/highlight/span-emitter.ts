/** Takes the tokens of highlight.js as colored spans, where its own emitter would write HTML that is then parsed. */
import type { ThemeColor } from "../theme/index.ts";
import { colorOfScope } from "./scopes.ts";

/** A part of a line in one color. */
export interface CodeSpan {
	text: string;
	color: ThemeColor | undefined;
}

/** The members are those that highlight.js calls. */
export class SpanEmitter {
	/** Text over one or more lines; adjacent spans differ in color. */
	readonly spans: CodeSpan[] = [];
	/** The characters of all spans. */
	length = 0;
	readonly #colors: (ThemeColor | undefined)[] = [];

	addText(text: string): void {
		this.#add(text, this.#colors.at(-1));
	}

	startScope(scope: string): void {
		this.#colors.push(colorOfScope(scope) ?? this.#colors.at(-1));
	}

	endScope(): void {
		this.#colors.pop();
	}

	openNode(scope: string): void {
		this.startScope(scope);
	}

	closeNode(): void {
		this.endScope();
	}

	/** The tokens of a language inside another; text without a color of its own has that of the surrounding construct. */
	__addSublanguage(inner: SpanEmitter): void {
		for (const { text, color } of inner.spans) this.#add(text, color ?? this.#colors.at(-1));
	}

	finalize(): void {}

	toHTML(): string {
		return "";
	}

	#add(text: string, color: ThemeColor | undefined): void {
		this.length += text.length;
		const last = this.spans.at(-1);
		if (last !== undefined && last.color === color) last.text += text;
		else if (text !== "") this.spans.push({ text, color });
	}
}

/** The spans of one line. */
export function lineOf(spans: readonly CodeSpan[], index: number): CodeSpan[] {
	const line: CodeSpan[] = [];
	let at = 0;
	for (const span of spans) {
		const { text, color } = span;
		if (!text.includes("\n")) {
			if (at === index) line.push(span);
			continue;
		}
		const parts = text.split("\n");
		const part = parts[index - at];
		if (part !== undefined && part !== "") line.push({ text: part, color });
		at += parts.length - 1;
		if (at > index) break;
	}
	return line;
}
