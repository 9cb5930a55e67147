/** The rules of a session that have conditions, compiled once; unusable ones are reported and left out. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { PathMatcher } from "@tau/sys";
import type { Rule } from "@tau/session/run";
import { builtinTools } from "@tau/integrations/builtin";
import { compileCondition, type Condition } from "./condition.ts";
import { covers, coversFiles, readGlobs, readScope, type Scope, type StreamSource } from "./scope.ts";
import { ConditionSet } from "./stream-watch.ts";

export interface StreamRule {
	rule: Rule;
	scope: Scope;
	/** The files in its scope; any if absent. */
	files?: readonly PathMatcher[];
	structures: readonly string[];
}

export class StreamRules {
	readonly conditions: ConditionSet;
	readonly problems: string[] = [];
	readonly #rules: StreamRule[] = [];
	/** The rule of each condition. */
	readonly #owners: StreamRule[] = [];
	readonly #cwd: string;

	constructor(rules: readonly Rule[], cwd: string) {
		this.#cwd = cwd;
		const conditions: Condition[] = [];
		for (const rule of rules) this.#add(rule, conditions);
		this.conditions = new ConditionSet(conditions);
	}

	get isEmpty(): boolean {
		return this.#rules.length === 0;
	}

	/** The rules that match the structure of code. */
	get structural(): readonly StreamRule[] {
		return this.#rules.filter(({ structures }) => structures.length > 0);
	}

	/** The names of the rules with a condition that exceeded its time limit. */
	get spent(): string[] {
		return this.conditions.conditions.flatMap(({ isSpent }, index) => {
			const owner = isSpent ? this.#owners[index] : undefined;
			return owner ? [owner.rule.name] : [];
		});
	}

	ownerOf(condition: number): StreamRule | undefined {
		return this.#owners[condition];
	}

	/** Paths for globs: relative to the working directory if they are inside it. */
	shownPaths(paths: readonly string[]): string[] {
		return paths.map((path) => {
			const from = relative(this.#cwd, resolve(this.#cwd, path));
			const isOutside = from.startsWith("..") || isAbsolute(from);
			return (isOutside ? resolve(path).slice(1) : from).replaceAll(sep, "/");
		});
	}

	#add(rule: Rule, conditions: Condition[]): void {
		const problems: string[] = [];
		const onProblem = (problem: string): void => void problems.push(problem);
		const entry = this.#entry(rule, onProblem);
		const compiled = (rule.condition ?? []).flatMap((text) => {
			const outcome = compileCondition(text);
			if (outcome.ok) return [outcome.condition];
			onProblem(`the condition ${JSON.stringify(text)} is invalid: ${outcome.reason}`);
			return [];
		});
		const unreachable = whyUnreachable(entry, compiled.length);
		if (unreachable !== undefined) onProblem(unreachable);
		// One notice for each rule, whatever is wrong with it.
		if (problems.length > 0) this.problems.push(`Rule ${rule.name}: ${problems.join("; ")} (${rule.path}).`);
		if (unreachable !== undefined) return;
		this.#rules.push(entry);
		for (const condition of compiled) {
			conditions.push(condition);
			this.#owners.push(entry);
		}
	}

	#entry(rule: Rule, onProblem: (problem: string) => void): StreamRule {
		const files = rule.globs ? readGlobs(rule.globs, onProblem) : undefined;
		const scope = readScope(rule.scope, onProblem);
		return { rule, scope, ...(files ? { files } : {}), structures: rule.astCondition ?? [] };
	}
}

/** A rule that can never apply is a mistake, which is reported to its author. */
function whyUnreachable({ scope, files, structures }: StreamRule, conditions: number): string | undefined {
	if (conditions === 0 && structures.length === 0) return "it has no valid condition, so it was skipped";
	const inProse = scope.text || scope.thinking;
	if (!inProse && scope.tools.length === 0) return "its scope covers nothing, so it was skipped";
	if (files && scope.tools.length === 0) return "prose belongs to no file, so its globs can never match";
	if (conditions === 0 && !writesSource(scope))
		return `code conditions apply only to ${namesOfWriters()}, which its scope excludes`;
	return undefined;
}

function namesOfWriters(): string {
	const names = builtinTools.flatMap(({ name, source }) => (source ? [name] : []));
	return new Intl.ListFormat("en").format(names.toSorted());
}

function writesSource(scope: Scope): boolean {
	return builtinTools.some(({ name, source }) => source && covers(scope, { kind: "tool", name }));
}

/** Whether a rule whose condition is met applies, as far as the files are known. */
export function concernsFiles(
	{ scope, files }: StreamRule,
	source: StreamSource,
	paths: readonly string[],
): boolean {
	if (source.kind !== "tool") return files === undefined;
	const isAbout = !files || files.some((is) => paths.some((path) => is(path)));
	return isAbout && coversFiles(scope, source.name, paths);
}
