/** Reads a script of sed for the commands that write files (`w`), read them (`r`) or run programs (`e`). */
import { limits } from "../limits.ts";

export interface SedVerdict {
	readonly writes: readonly string[];
	readonly reads: readonly string[];
	/** It runs a program, or is not understood. */
	readonly runs: boolean;
}

/** One pass: addresses, then a command with its arguments, up to the end of the command. */
export function judgeSed(script: string): SedVerdict {
	if (script.length > limits.scriptChars) return { writes: [], reads: [], runs: true };
	// Seds differ on a delimiter inside of brackets, as in `s/[/]/x/`: neither reading may run anything.
	const readers = [new SedReader(script, false), new SedReader(script, true)];
	const outcomes = readers.map((reader) => reader.read());
	return {
		writes: [...new Set(readers.flatMap(({ writes }) => writes))],
		reads: [...new Set(readers.flatMap(({ reads }) => reads))],
		runs: outcomes.includes("runs") || outcomes.every((outcome) => outcome === "error"),
	};
}

class SedReader {
	readonly writes: string[] = [];
	readonly reads: string[] = [];
	readonly #text: string;
	readonly #bracketsHide: boolean;
	#at = 0;
	/** Sed would refuse the script before it runs any of it. */
	#isError = false;

	constructor(text: string, bracketsHide: boolean) {
		this.#text = text;
		this.#bracketsHide = bracketsHide;
	}

	/** `runs` when something is not understood, or runs a program. */
	read(): "reads" | "runs" | "error" {
		if (this.#commands()) return "reads";
		return this.#isError ? "error" : "runs";
	}

	#commands(): boolean {
		while (this.#at < this.#text.length) {
			this.#skip(" \t\n;");
			if (!this.#address()) return false;
			this.#skip(" \t!");
			if (this.#at >= this.#text.length) return true;
			if (!this.#command()) return false;
		}
		return true;
	}

	#skip(chars: string): void {
		while (this.#at < this.#text.length && chars.includes(this.#text[this.#at] ?? "")) this.#at++;
	}

	#next(): string {
		return this.#text[this.#at++] ?? "";
	}

	#address(): boolean {
		for (;;) {
			const char = this.#text[this.#at] ?? "";
			if (/[\d$~+,]/u.test(char)) this.#at++;
			else if (char === " " || char === "\t") this.#skip(" \t");
			else if (char === "/" || char === "\\") {
				this.#at++;
				if (!this.#delimited(char === "/" ? "/" : this.#next())) return false;
				this.#skip("IM");
			} else return true;
		}
	}

	/** Skips to after an unescaped delimiter. */
	#delimited(delimiter: string): boolean {
		while (this.#at < this.#text.length) {
			const char = this.#next();
			if (char === "\\") this.#at++;
			else if (char === "[" && this.#bracketsHide) this.#skipBracket();
			else if (char === delimiter) return true;
			// Seds refuse it, or begin the next command there.
			else if (char === "\n") return false;
		}
		this.#isError = true;
		return false;
	}

	/** `[]/]` and `[^]/]` contain a bracket; without an end it is no set. */
	#skipBracket(): void {
		const first = /^\^?\]?/u.exec(this.#text.slice(this.#at, this.#at + 2))?.[0].length ?? 0;
		const end = this.#text.indexOf("]", this.#at + first);
		if (end >= 0) this.#at = end + 1;
	}

	#command(): boolean {
		const command = this.#next();
		if ("{}=dDgGhHnNpPxzF".includes(command)) return true;
		if ("qQlL".includes(command)) {
			this.#skip(" \t0123456789");
			return true;
		}
		if ("btT:".includes(command)) {
			this.#skip(" \t");
			this.#line(/[;\s}]/u);
			// To some seds a brace is part of the label: `:x}a;e touch b`.
			return command === ":" ? this.#text[this.#at] !== "}" : /^(?:\}\s*)*(?:[;\s]|$)/u.test(this.#rest);
		}
		if ("#rR".includes(command)) {
			const line = this.#line(/\n/u).trim();
			if (command !== "#") this.reads.push(line);
			return true;
		}
		if ("aic".includes(command)) return this.#appended();
		if (command === "w" || command === "W") return this.#file();
		if (command !== "s" && command !== "y") return false;
		const delimiter = this.#next();
		if (!/[^\w\s\\]/u.test(delimiter) || !this.#delimited(delimiter) || !this.#delimited(delimiter))
			return false;
		return command === "y" || this.#flags();
	}

	#flags(): boolean {
		this.#skip("gpiIMm0123456789");
		const flag = this.#text[this.#at] ?? "";
		if (flag === "w") {
			this.#at++;
			return this.#file();
		}
		if (flag === "" || " \t\n;}".includes(flag)) return true;
		this.#isError = !/[ew#\r]/u.test(flag);
		return false;
	}

	#file(): boolean {
		const name = this.#line(/\n/u).trim();
		if (!/^\/dev\/std(?:out|err)$/u.test(name)) this.writes.push(name);
		return true;
	}

	/** Text that is appended ends with its line, unless a backslash continues it. Seds differ on several of them. */
	#appended(): boolean {
		for (;;) {
			const line = this.#line(/\n/u);
			const [, backslashes = ""] = /(?:^|[^\\])(\\*)$/u.exec(line) ?? [];
			if (backslashes.length > 2) return false;
			if (backslashes.length !== 1 || this.#at >= this.#text.length) return true;
			this.#at++;
		}
	}

	get #rest(): string {
		return this.#text.slice(this.#at);
	}

	#line(end: RegExp): string {
		const rest = this.#rest;
		const length = rest.search(end);
		const line = length < 0 ? rest : rest.slice(0, length);
		this.#at += line.length;
		return line;
	}
}
