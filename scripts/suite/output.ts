/** Sorts the output of `bun test` by file, and lets through only what belongs to a failure. */

const header = /^(.+\.test\.tsx?):$/;
const passed = /^\((?:pass|skip|todo)\) /;
const failed = /^(?:\(fail\) |✗ .* \(worker crashed)/;
const unhandled = "# Unhandled error between tests";
/** Below this line Bun repeats the failures. */
const repeated = /^\d+ tests? failed:$/;
const rule = /^-{20,}$/;

export class TestOutput {
	/** What the failures of a file have printed. */
	readonly failures = new Map<string, string>();
	/** Files with errors outside of any test, which the report does not have; each error by its line in the file, or 0. */
	readonly unhandled = new Map<string, number[]>();
	readonly #files: ReadonlySet<string>;
	readonly #write: (text: string) => void;
	/** What a file has printed since its last finished test. */
	readonly #pending = new Map<string, string[]>();
	#file = "";
	#isAfterFailure = false;
	#isOver = false;
	/** Rules left until the end of an error outside of any test. */
	#rules = 0;

	constructor(files: readonly string[], write: (text: string) => void) {
		this.#files = new Set(files);
		this.#write = write;
	}

	line(text: string): void {
		this.#isOver ||= repeated.test(text);
		if (this.#isOver) return;
		const [, file = ""] = header.exec(text) ?? [];
		if (this.#files.has(file)) {
			this.#file = file;
			this.#isAfterFailure = false;
			return;
		}
		// Bun says below a failed test that it took too long.
		if (this.#isAfterFailure && text.startsWith("  ^ ")) return this.#emit([text]);
		this.#isAfterFailure = false;
		if (passed.test(text)) return void this.#pending.delete(this.#file);
		this.#pending.getOrInsertComputed(this.#file, () => []).push(text);
		if (text === unhandled) this.#rules = 2;
		else if (this.#rules > 0 && rule.test(text)) this.#endOfUnhandled();
		else if (failed.test(text)) this.#flush();
	}

	#endOfUnhandled(): void {
		this.#rules--;
		if (this.#rules > 0) return;
		// Bun may put it below the file that runs at that moment; the place of the error says more.
		const lines = this.#pending.get(this.#file) ?? [];
		const { file: named, line = 0 } = lines.flatMap((text) => this.#placeIn(text)).at(-1) ?? {};
		if (named !== undefined && named !== this.#file) {
			this.#pending.delete(this.#file);
			this.#pending.set(named, lines);
			this.#file = named;
		}
		this.unhandled.getOrInsertComputed(this.#file, () => []).push(line);
		this.#flush();
	}

	/** The place in a test file that a line of a stack names. */
	#placeIn(text: string): { file: string; line: number }[] {
		const [, path = "", line = "0"] = /(?:\(|\bat |')(\/.*?\.test\.tsx?)\b(?::(\d+))?/.exec(text) ?? [];
		const parts = path.split("/");
		const known = parts.map((_, at) => parts.slice(at).join("/")).filter((file) => this.#files.has(file));
		return known.map((file) => ({ file, line: Number(line) }));
	}

	#flush(): void {
		const lines = this.#pending.get(this.#file) ?? [];
		this.#pending.delete(this.#file);
		this.#emit(lines);
		this.#isAfterFailure = true;
	}

	#emit(lines: readonly string[]): void {
		const before = this.failures.get(this.#file) ?? "";
		const text = `${lines.join("\n").replace(/^\n+/, "")}\n`;
		this.failures.set(this.#file, before + text);
		this.#write(`\n${this.#file}:\n${text}`);
	}
}
