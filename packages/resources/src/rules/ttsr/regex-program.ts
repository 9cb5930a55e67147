/** Matches a regular expression in one pass without backtracking, over any chunks of text: a lazily built automaton. */
import { limits } from "./limits.ts";
import { single } from "./regex-facts.ts";
import type { RegexNode } from "./regex-tree.ts";
import type { Scan } from "./scan.ts";

type Step =
	| { do: "take"; matches: (char: string) => boolean }
	| { do: "assert"; what: Extract<RegexNode, { kind: "assert" }>["what"] }
	| { do: "go"; to: number[] }
	| { do: "match" };

export class RegexProgram {
	readonly #steps: Step[] = [];
	readonly #flags: string;
	readonly isUnicode: boolean;
	/** The states reached so far. */
	readonly #places = new Map<string, ScanPosition>();
	readonly #starts = new Map<string, ScanPosition>();
	/** The state in which no match has started. */
	readonly #idle: string;

	/** Throws if the expression is too large to compile. */
	constructor(tree: RegexNode, flags: string) {
		this.#flags = flags;
		this.isUnicode = flags.includes("u");
		this.#compile(tree);
		this.#add({ do: "match" });
		this.#idle = keyOf(this.#beginning());
	}

	/** `before` is the last character before the text; with `stopsIdle`, it stops when no match is in progress. */
	scan(before: string, stopsIdle: boolean): Scan {
		return new ProgramScan(this, this.#start(before === "" ? "" : sameAs(before)), stopsIdle);
	}

	#start(before: string): ScanPosition {
		const known = this.#starts.get(before) ?? this.#placeOf(this.#beginning(), before);
		this.#starts.set(before, known);
		return known;
	}

	#beginning(): Round {
		const round = new Round(this.#steps);
		round.follow(0);
		return round;
	}

	/** The state after the character. */
	after(directory: ScanPosition, char: string): ScanPosition {
		const code = char.charCodeAt(0);
		const known = code < 128 ? directory.next[code] : undefined;
		if (known) return known;
		const before = this.#settled(directory, char);
		if (before.isMatch) return this.#placeOf(before, "");
		const round = new Round(this.#steps);
		for (const at of before.waiting) {
			const step = this.#steps[at];
			if (step?.do === "take" && step.matches(char)) round.follow(at + 1);
		}
		// A match may start anywhere.
		round.follow(0);
		const scanPosition = this.#placeOf(round, sameAs(char));
		if (code < 128) directory.next[code] = scanPosition;
		return scanPosition;
	}

	matchesAtEnd(directory: ScanPosition): boolean {
		return this.#settled(directory, "").isMatch;
	}

	#settled({ waiting, before }: ScanPosition, next: string): Round {
		const round = new Round(this.#steps);
		for (const at of waiting) round.follow(at);
		round.settle(before, next);
		return round;
	}

	#placeOf(round: Round, before: string): ScanPosition {
		const { waiting, isMatch } = round;
		const waits = keyOf(round);
		const key = isMatch ? "match" : `${before} ${waits}`;
		const known = this.#places.get(key);
		if (known) return known;
		if (this.#places.size >= limits.programPlaces) this.#places.clear();
		const directory = new ScanPosition(waiting, before, { isMatch, isIdle: waits === this.#idle });
		this.#places.set(key, directory);
		return directory;
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

function keyOf({ waiting }: Round): string {
	return waiting.toSorted((a, b) => a - b).join();
}

/** The engine decides what a set, a class or a case-insensitive letter matches; each result is cached. */
function characterTest(source: string, flags: string): (char: string) => boolean {
	let test: RegExp | undefined;
	return (char) => (test ??= single(source, flags)).test(char);
}

/** A state of the automaton: the positions of all paths after some text, with its cached transitions. */
class ScanPosition {
	/** The steps that expect a character, or an assertion about the next one. */
	readonly waiting: readonly number[];
	/** The class of the last character, as far as assertions distinguish it. */
	readonly before: string;
	readonly isMatch: boolean;
	/** True if no path has left the start. */
	readonly isIdle: boolean;
	readonly next: (ScanPosition | undefined)[] = [];

	constructor(waiting: readonly number[], before: string, facts: { isMatch: boolean; isIdle: boolean }) {
		this.waiting = waiting;
		this.before = before;
		this.isMatch = facts.isMatch;
		this.isIdle = facts.isIdle;
	}
}

/** Collects the steps that can be reached without consuming a character. */
class Round {
	readonly waiting: number[] = [];
	isMatch = false;
	readonly #steps: readonly Step[];
	readonly #reached: Uint8Array;

	constructor(steps: readonly Step[]) {
		this.#steps = steps;
		this.#reached = new Uint8Array(steps.length);
	}

	follow(at: number): void {
		if (this.#reached[at] === 1) return;
		this.#reached[at] = 1;
		const step = this.#steps[at];
		if (step?.do === "match") this.isMatch = true;
		else if (step?.do === "go") for (const to of step.to) this.follow(to);
		else this.waiting.push(at);
	}

	/** Assertions about the next character can be decided now; the list grows while it is iterated. */
	settle(before: string, next: string): void {
		for (let index = 0; index < this.waiting.length; index++) {
			const at = this.waiting[index] ?? 0;
			const step = this.#steps[at];
			if (step?.do === "assert" && holds(step.what, before, next)) this.follow(at + 1);
		}
	}
}

class ProgramScan implements Scan {
	readonly #program: RegexProgram;
	readonly #stopsIdle: boolean;
	#place: ScanPosition;
	idleAt: number | undefined;
	/** A high surrogate without its low surrogate. */
	#half = "";

	constructor(program: RegexProgram, start: ScanPosition, stopsIdle: boolean) {
		this.#program = program;
		this.#place = start;
		this.#stopsIdle = stopsIdle;
	}

	push(text: string, from: number, to: number): boolean {
		if (this.#program.isUnicode) return this.#pushCharacters(text.slice(from, to));
		let directory = this.#place;
		for (let at = from; at < to && !directory.isMatch; at++) {
			directory = directory.next[text.charCodeAt(at)] ?? this.#program.after(directory, text[at] ?? "");
			if (directory.isIdle && this.#stopsIdle) {
				this.idleAt = at + 1;
				break;
			}
		}
		this.#place = directory;
		return directory.isMatch;
	}

	end(): boolean {
		if (this.#half && !this.#place.isMatch) this.#place = this.#program.after(this.#place, this.#half);
		this.#half = "";
		return this.#place.isMatch || this.#program.matchesAtEnd(this.#place);
	}

	#pushCharacters(text: string): boolean {
		const whole = this.#half + text;
		this.#half = /[\ud800-\udbff]$/.exec(whole)?.[0] ?? "";
		for (const char of this.#half ? whole.slice(0, -1) : whole) {
			if (this.#place.isMatch) break;
			this.#place = this.#program.after(this.#place, char);
		}
		return this.#place.isMatch;
	}
}

/** `^` and `$` match at lines even without the flag `m`: a stream has no other start and end. */
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

/** Assertions only distinguish word characters and line ends. */
function sameAs(char: string): string {
	if (isLineEnd(char)) return "\n";
	return isWord(char) ? "a" : " ";
}

function isLineEnd(char: string): boolean {
	return /^[\n\r\u2028\u2029]$/.test(char);
}

function isWord(char: string): boolean {
	return /^\w$/.test(char);
}
