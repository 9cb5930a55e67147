/** Highlights code line by line as it streams: each line once, with the context above it. */
import type { Engine } from "./engine-shape.ts";
import { readyEngine } from "./engine.ts";
import { grammarFor } from "./languages.ts";
import { highlightLimits } from "./limits.ts";
import { lineOf, type CodeSpan } from "./span-emitter.ts";

interface Read {
	spans: readonly CodeSpan[];
	/** True if no construct is open after the line. */
	isClosed: boolean;
}

/** Short lines that stand by themselves: many of them come again, such as a closing brace. */
const known = new Map<string, Read>();

export class LineHighlighter {
	readonly #grammar: string | undefined;
	/** Lines of the construct that is open at the end of the input; the first one opened it. */
	#context: readonly string[] = [];
	/** The CPU time that is left for this block; without any, its rest is plain. */
	#leftMs: number = highlightLimits.blockMs;
	/** True if the last line took long, so that the CPU time of the next one is measured. */
	#isSlow = false;
	/** True if a line was drawn plain because its grammar was not loaded. */
	isWaiting = false;

	constructor(language: string) {
		this.#grammar = grammarFor(language);
	}

	/** The next line. */
	push(line: string): readonly CodeSpan[] {
		if (this.#leftMs > 0) this.#leftMs += highlightLimits.blockLineMs;
		const { spans, isClosed } = this.#read(line);
		this.#context = isClosed ? [] : shortened([...this.#context, line]);
		return spans;
	}

	/** The next line as far as it has arrived. */
	peek(line: string): readonly CodeSpan[] {
		return this.#read(line).spans;
	}

	#read(line: string): Read {
		const grammar = this.#grammar;
		const isTooLong = line.length > highlightLimits.lineChars || this.#leftMs <= 0;
		if (grammar === undefined || isTooLong) return this.#plain(line);
		const engine = readyEngine(grammar);
		if (engine === undefined) {
			this.isWaiting = true;
			return this.#plain(line);
		}
		const isShort = this.#context.length === 0 && line.length <= highlightLimits.knownLineChars;
		const key = isShort ? `${grammar}\n${line}` : "";
		const same = isShort ? known.get(key) : undefined;
		if (same !== undefined) return same;
		const read = this.#highlight(line, engine, grammar);
		if (isShort) {
			if (known.size >= highlightLimits.knownLines) known.clear();
			known.set(key, read);
		}
		return read;
	}

	/** Leaves open what is open. */
	#plain(line: string): Read {
		return { spans: [{ text: line, color: undefined }], isClosed: this.#context.length === 0 };
	}

	#highlight(line: string, engine: Engine, language: string): Read {
		const started = performance.now();
		const usage = this.#isSlow ? process.threadCpuUsage() : undefined;
		const code = `${[...this.#context, line].join("\n")}\n`;
		const { _emitter: emitter, _top: top } = engine.highlight(code, { language, ignoreIllegals: true });
		this.#spend(performance.now() - started, usage);
		// A grammar that failed has given up somewhere.
		if (emitter.length !== code.length) return this.#plain(line);
		return { spans: lineOf(emitter.spans, this.#context.length), isClosed: top?.parent === undefined };
	}

	/**
	 * By CPU time where a line takes long: a block does not lose its colors because the machine is busy with other
	 * programs. That takes two calls of the kernel, and a clock says enough about a line that takes no time.
	 */
	#spend(ms: number, before: NodeJS.CpuUsage | undefined): void {
		const usage = before && process.threadCpuUsage(before);
		this.#leftMs -= usage ? (usage.user + usage.system) / 1000 : Math.min(ms, highlightLimits.blockLineMs);
		this.#isSlow = ms > highlightLimits.blockLineMs;
	}
}

/** For a long construct, the line that opened it and the last ones: an open inner construct is rarely older. */
function shortened(context: readonly string[]): readonly string[] {
	if (context.length <= highlightLimits.contextLines) return context;
	return [...context.slice(0, 1), ...context.slice(-Math.floor(highlightLimits.contextLines / 2))];
}
