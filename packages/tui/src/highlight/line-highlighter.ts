/** Highlights code line by line as it streams: each line once, with the context above it. */
import type { ThemeColor } from "../theme/index.ts";
import { readyEngine } from "./engine.ts";
import { grammarFor } from "./languages.ts";
import { highlightLimits } from "./limits.ts";
import { colorOfScope } from "./scopes.ts";

/** A part of a line in one color. */
export interface CodeSpan {
	text: string;
	color: ThemeColor | undefined;
}

export class LineHighlighter {
	readonly #grammar: string | undefined;
	/** Lines of the construct that is open at the end of the input; the first one opened it. */
	#context: readonly string[] = [];
	/** The CPU time that is left for this block; without any, its rest is plain. */
	#leftMs: number = highlightLimits.blockMs;
	/** True if a line was drawn plain because its grammar was not loaded. */
	isWaiting = false;

	constructor(language: string) {
		this.#grammar = grammarFor(language);
	}

	/** The next line. */
	push(line: string): CodeSpan[] {
		if (this.#leftMs > 0) this.#leftMs += highlightLimits.blockLineMs;
		const { spans, context } = this.#read(line);
		this.#context = context;
		return spans;
	}

	/** The next line as far as it has arrived. */
	peek(line: string): CodeSpan[] {
		return this.#read(line).spans;
	}

	#read(line: string): { spans: CodeSpan[]; context: readonly string[] } {
		const context = this.#context;
		const plain = { spans: [{ text: line, color: undefined }], context };
		const isTooLong = line.length > highlightLimits.lineChars || this.#leftMs <= 0;
		if (this.#grammar === undefined || isTooLong) return plain;
		const engine = readyEngine(this.#grammar);
		if (engine === undefined) {
			this.isWaiting = true;
			return plain;
		}
		const started = process.threadCpuUsage();
		const code = `${[...context, line].join("\n")}\n`;
		const { value, _top: top } = engine.highlight(code, { language: this.#grammar, ignoreIllegals: true });
		// By CPU time: a block does not lose its colors because the machine is busy with other programs.
		const { user, system } = process.threadCpuUsage(started);
		this.#leftMs -= (user + system) / 1000;
		const isClosed = top?.parent === undefined;
		return {
			spans: spansOf(value, context.length),
			context: isClosed ? [] : shortened([...context, line]),
		};
	}
}

/** For a long construct, the line that opened it and the last ones: an open inner construct is rarely older. */
function shortened(context: readonly string[]): readonly string[] {
	if (context.length <= highlightLimits.contextLines) return context;
	return [...context.slice(0, 1), ...context.slice(-Math.floor(highlightLimits.contextLines / 2))];
}

const piece = /<span class="([^"]*)">|<\/span>|\n|[^<\n]+/g;

/** The spans of one line in the output of highlight.js. */
function spansOf(html: string, lineIndex: number): CodeSpan[] {
	const spans: CodeSpan[] = [];
	const scopes: (ThemeColor | undefined)[] = [];
	let line = 0;
	for (const [source, scope] of html.matchAll(piece)) {
		if (source === "\n") line++;
		else if (source === "</span>") scopes.pop();
		else if (scope !== undefined) scopes.push(colorOfScope(scope) ?? scopes.at(-1));
		else if (line === lineIndex) spans.push({ text: unescapeHtml(source), color: scopes.at(-1) });
		if (line > lineIndex) break;
	}
	return spans;
}

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" };

function unescapeHtml(text: string): string {
	if (!text.includes("&")) return text;
	return text.replaceAll(/&(lt|gt|quot|#x27|amp);/g, (_, name: string) => characters[name] ?? "");
}
