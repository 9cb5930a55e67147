/** Rules on commands as Claude Code writes them inside `Bash(…)`, matched against one simple command. */
import type { ProgramRun } from "./facts.ts";

export interface CommandRule {
	/** As the user wrote it. */
	readonly text: string;
	/** Literal pieces between wildcards; a single piece is exact text. */
	readonly pieces: readonly string[];
	/** `git status:*`: the words, followed by anything or nothing. */
	readonly prefix: boolean;
}

/** An allow rule must match for certain; a deny or ask rule matches what it may match. */
export type RuleIntent = "allow" | "restrict";

export function parseCommandRule(text: string): CommandRule | { problem: string } {
	const rule = text.trim();
	if (rule === "" || rule === "*" || rule === ":*") return { text: rule, pieces: [""], prefix: true };
	if (rule.endsWith(":*")) {
		const words = rule.slice(0, -2).trim();
		if (words.includes("*"))
			return { problem: `"${rule}" mixes :* with other wildcards; write "${words} *".` };
		return { text: rule, pieces: [words], prefix: true };
	}
	if (rule.includes(":*")) return { problem: `":*" must be at the end of "${rule}".` };
	return { text: rule, pieces: rule.split("*"), prefix: false };
}

export function matchesRule(rule: CommandRule, run: ProgramRun, intent: RuleIntent = "allow"): boolean {
	if (intent === "allow" && (run.environment.length > 0 || run.argv.includes(undefined))) return false;
	const command = [run.name, ...run.argv.slice(1).map((word) => word ?? "*")].join(" ");
	const [first = "", ...rest] = rule.pieces;
	if (rule.prefix) return first === "" || command === first || command.startsWith(`${first} `);
	if (rest.length === 0) return command === first;
	if (!command.startsWith(first)) return false;
	let at = first.length;
	for (const [index, piece] of rest.entries()) {
		if (index === rest.length - 1) return command.length - piece.length >= at && command.endsWith(piece);
		const found = command.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return false;
}

/** Programs with subcommands: the rule for "always" names the subcommand. */
const withSubcommands = new Set("npm pnpm yarn bun git cargo go docker kubectl gh".split(" "));

/** The rule that "always for this shape" adds: `git commit:*`, and the exact text where a prefix would be too wide. */
export function shapeOf(run: ProgramRun): string {
	const words = run.argv.map((word) => word ?? "");
	const second = words[1];
	if (withSubcommands.has(run.name) && second !== undefined && /^[a-z][\w-]*$/u.test(second))
		return `${run.name} ${second}:*`;
	return run.text;
}
