/** Matches a regular expression in one pass without ever going back, however the text arrives: all ways at once. */
import { limits } from "./limits.ts";
import { single } from "./regex-facts.ts";
import type { RegexNode } from "./regex-tree.ts";
import type { Scan } from "./scan.ts";

type Step =
	| { do: "take"; matches: (char: string, code: number) => boolean }
	| { do: "assert"; what: Extract<RegexNode, { kind: "assert" }>["what"] }
	| { do: "go"; to: number[] }
	| { do: "match" };

export class RegexProgram {
	readonly #steps: Step[] = [];
	readonly #flags: string;
	readonly isUnicode: boolean;

	/** Throws where the expression is too large to be compiled. */
	constructor(tree: RegexNode, flags: string) {
		this.#flags = flags;
		this.isUnicode = flags.includes("u");
		this.#compile(tree);
		this.#add({ do: "match" });
	}

	get steps(): readonly Step[] {
		return this.#steps;
	}

	scan(): Scan {
		return new ProgramScan(this);
	}

	#add(step: Step): number {
		if (this.#steps.length >= limits.programSteps) throw new Error("its repetitions are too large");
		return this.#steps.push(step) - 1;
	}

	#compile(node: RegexNode): void {
		switch (node.kind) {
			case "one":
				return void this.#add({ do: "take", matches: characterTest(node.source, this.#flags) });
			case "assert":
				return void this.#add({ do: "assert", what: node.what });
			case "row":
				for (const part of node.parts) this.#compile(part);
				return undefined;
			case "either":
				return this.#either(node.branches);
			case "repeat":
				return this.#repeat(node);
			default:
				throw new Error("it cannot be matched without going back");
		}
	}

	#either(branches: readonly RegexNode[]): void {
		const fork = this.#fork();
		const ends: { to: number[] }[] = [];
		for (const branch of branches) {
			fork.to.push(this.#steps.length);
			this.#compile(branch);
			ends.push(this.#fork());
		}
		for (const end of ends) end.to.push(this.#steps.length);
	}

	#repeat({ of, min, max }: Extract<RegexNode, { kind: "repeat" }>): void {
		for (let index = 0; index < min; index++) this.#compile(of);
		if (max === Infinity) {
			const start = this.#steps.length;
			const fork = this.#fork();
			fork.to.push(this.#steps.length);
			this.#compile(of);
			this.#add({ do: "go", to: [start] });
			fork.to.push(this.#steps.length);
			return;
		}
		const exits: { to: number[] }[] = [];
		for (let index = min; index < max; index++) {
			const fork = this.#fork();
			fork.to.push(this.#steps.length);
			exits.push(fork);
			this.#compile(of);
		}
		for (const exit of exits) exit.to.push(this.#steps.length);
	}

	#fork(): { to: number[] } {
		const step = { do: "go" as const, to: [] };
		this.#add(step);
		return step;
	}
}

/** The engine says once for each character what a set, a class or a letter in either case matches. */
function characterTest(source: string, flags: string): (char: string, code: number) => boolean {
	const test = single(source, flags);
	const ascii = Uint8Array.from({ length: 128 }, (_, code) => (test.test(String.fromCharCode(code)) ? 1 : 0));
	return (char, code) => (code < 128 ? ascii[code] === 1 : test.test(char));
}

class ProgramScan implements Scan {
	readonly #program: RegexProgram;
	/** Where the ways through the program stand: in front of a character, or of an assertion about the next one. */
	#threads: number[] = [];
	#next: number[] = [];
	/** In which round a step was reached last. */
	readonly #reached: Uint32Array;
	#round = 0;
	#before = "";
	/** The first half of a character that came without its second. */
	#half = "";
	#hasMatched = false;

	constructor(program: RegexProgram) {
		this.#program = program;
		this.#reached = new Uint32Array(program.steps.length);
		this.#begin();
	}

	push(text: string): boolean {
		if (!this.#program.isUnicode) {
			for (let at = 0; at < text.length && !this.#hasMatched; at++) this.#step(text[at] ?? "");
			return this.#hasMatched;
		}
		const whole = this.#half + text;
		this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
		for (const char of this.#half ? whole.slice(0, -1) : whole) {
			if (this.#hasMatched) break;
			this.#step(char);
		}
		return this.#hasMatched;
	}

	end(): boolean {
		if (this.#half) this.#step(this.#half);
		this.#half = "";
		if (!this.#hasMatched) this.#settle("");
		return this.#hasMatched;
	}

	#step(char: string): void {
		this.#settle(char);
		if (this.#hasMatched) return;
		const waiting = this.#threads;
		this.#threads = this.#next;
		this.#threads.length = 0;
		this.#next = waiting;
		this.#round++;
		const code = char.charCodeAt(0);
		const { steps } = this.#program;
		for (const at of waiting) {
			const step = steps[at];
			if (step?.do === "take" && step.matches(char, code)) this.#follow(at + 1);
		}
		this.#before = char;
		this.#begin();
	}

	/** A match may begin anywhere. */
	#begin(): void {
		if (this.#round === 0) this.#round = 1;
		this.#follow(0);
	}

	/** What was said about the next character can be judged now; the list grows while it is gone through. */
	#settle(next: string): void {
		const { steps } = this.#program;
		for (let index = 0; index < this.#threads.length; index++) {
			const at = this.#threads[index] ?? 0;
			const step = steps[at];
			if (step?.do === "assert" && holds(step.what, this.#before, next)) this.#follow(at + 1);
		}
	}

	#follow(at: number): void {
		if (this.#reached[at] === this.#round) return;
		this.#reached[at] = this.#round;
		const step = this.#program.steps[at];
		if (step?.do === "match") this.#hasMatched = true;
		else if (step?.do === "go") for (const to of step.to) this.#follow(to);
		else this.#threads.push(at);
	}
}

/** Lines have beginnings and ends, whether or not the expression asks for it: a stream has no other. */
function holds(what: Extract<Step, { do: "assert" }>["what"], before: string, next: string): boolean {
	switch (what) {
		case "start":
			return before === "" || isLineEnd(before);
		case "end":
			return next === "" || isLineEnd(next);
		case "word":
			return isWord(before) !== isWord(next);
		case "notWord":
			return isWord(before) === isWord(next);
	}
}

function isLineEnd(char: string): boolean {
	return /^[\n\r\u2028\u2029]$/.test(char);
}

function isWord(char: string): boolean {
	return /^\w$/.test(char);
}
