/** A regular expression of a rule, compiled so that it can be matched in a stream at a bounded cost. */
import { BacktrackingScan, type Meter } from "./backtracking-scan.ts";
import { limits } from "./limits.ts";
import { regexFacts, type RegexFacts } from "./regex-facts.ts";
import { RegexProgram } from "./regex-program.ts";
import { regexTree } from "./regex-tree.ts";
import type { Scan } from "./scan.ts";

export interface Condition {
	/** Lower-case words, one of which every match contains. If absent, the condition is always evaluated. */
	readonly words?: readonly string[];
	/** Every match starts with one of its words. */
	readonly wordsLead: boolean;
	readonly spansLines: boolean;
	/** Whether it has exceeded its time limit. */
	readonly isSpent: boolean;
	/** `before` is the character before the text; empty at the start of a line. */
	scan(before: string): Scan;
}

export type Compiled = { ok: true; condition: Condition } | { ok: false; reason: string };

/** `text` is an expression, or `/expression/flags`; it may start with flags as in other languages: `(?i)`. */
export function compileCondition(text: string): Compiled {
	if (text.length > limits.conditionChars) {
		return { ok: false, reason: `it has more than ${limits.conditionChars} characters` };
	}
	try {
		const regex = read(text);
		const tree = regexTree(regex);
		const facts = regexFacts(tree, regex.flags);
		if (facts.isRegular) {
			const program = new RegexProgram(tree, regex.flags);
			return { ok: true, condition: conditionOf(facts, (before) => program.scan(before, facts.wordsLead)) };
		}
		return backtracking(regex, facts);
	} catch (error) {
		return { ok: false, reason: error instanceof Error ? error.message : String(error) };
	}
}

function read(text: string): RegExp {
	const [, body, tail] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
	const [, inline = "", rest = ""] = /^(?:\(\?([imsu]+)\))?(.*)$/s.exec(body ?? text) ?? [];
	if (rest === "") throw new Error("it is empty");
	// A stream is scanned once, line by line, so flags that change this have no effect.
	const flags = new Set([...inline, ...(tail ?? "").replaceAll(/[gyd]/g, ""), "m"]);
	if (flags.has("v")) throw new Error("the flag v is not supported; use u");
	return new RegExp(rest, [...flags].join(""));
}

function backtracking(regex: RegExp, facts: RegexFacts): Compiled {
	const window = limits.backtrackingWindows[facts.openRepeats];
	if (facts.explodes || facts.ways > limits.backtrackingWays || window === undefined) {
		return {
			ok: false,
			reason: "it combines repetition with a lookaround or backreference and could run forever",
		};
	}
	const meter: Meter = { ms: 0 };
	const searching = new RegExp(regex.source, `${regex.flags}g`);
	return {
		ok: true,
		// A lookbehind needs the text before its position.
		condition: conditionOf(
			{ ...facts, wordsLead: false },
			() => new BacktrackingScan(searching, window, meter),
			meter,
		),
	};
}

function conditionOf(
	{ words, wordsLead, spansLines }: RegexFacts,
	scan: Condition["scan"],
	meter?: Meter,
): Condition {
	return {
		...(words ? { words } : {}),
		wordsLead,
		spansLines,
		get isSpent() {
			return meter !== undefined && meter.ms > limits.backtrackingMs;
		},
		scan,
	};
}
