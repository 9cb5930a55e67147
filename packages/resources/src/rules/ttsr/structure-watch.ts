/** Matches code patterns in source that a call writes: at intervals while it streams, and when it is complete. */
import { findStructure, languageOf } from "@tau/tools/ast";

import { limits } from "./limits.ts";
import type { StreamRule } from "./stream-rules.ts";

export class StructureWatch {
	readonly #rules: Set<StreamRule>;
	readonly #onProblem: (problem: string) => void;
	#source = "";
	#due: number = limits.structureFirstChars;
	#judged = 0;

	/** `onProblem` receives a message for each invalid pattern. */
	constructor(rules: Iterable<StreamRule>, onProblem: (problem: string) => void) {
		this.#rules = new Set(rules);
		this.#onProblem = onProblem;
	}

	/** Returns the rules whose patterns match for the first time. */
	async push(text: string, paths: readonly string[]): Promise<StreamRule[]> {
		if (this.#rules.size === 0 || this.#source.length > limits.structureChars) return [];
		this.#source += text;
		// While the source streams, only complete lines are matched.
		if (this.#source.length < this.#due || !text.includes("\n")) return [];
		this.#due = this.#source.length * limits.structureGrowth;
		return this.#judge(this.#source.slice(0, this.#source.lastIndexOf("\n") + 1), paths);
	}

	async end(paths: readonly string[]): Promise<StreamRule[]> {
		return this.#judge(this.#source, paths);
	}

	async #judge(source: string, paths: readonly string[]): Promise<StreamRule[]> {
		const language = paths.map(languageOf).find(Boolean);
		if (!language || source.length > limits.structureChars || source.length === this.#judged) return [];
		this.#judged = source.length;
		const streamRules: StreamRule[] = [];
		for (const entry of this.#rules) {
			for (const pattern of entry.structures) {
				if (!source.includes(longestName(pattern))) continue;
				const outcome = await findStructure({ language, text: source, pattern, matches: 1, outermost: true });
				if (!outcome.ok) {
					this.#onProblem(`Rule ${entry.rule.name}: ${outcome.reason}`);
					this.#rules.delete(entry);
				} else if (outcome.value.matches.length > 0) streamRules.push(entry);
				if (!outcome.ok || outcome.value.matches.length > 0) break;
			}
		}
		for (const entry of streamRules) this.#rules.delete(entry);
		return streamRules;
	}
}

/** A word that every match contains, so that most files need not be parsed. */
function longestName(pattern: string): string {
	const names = pattern.replaceAll(/\$+\w*/g, " ").match(/[A-Za-z_]\w*/g) ?? [];
	return names.reduce((longest, name) => (name.length > longest.length ? name : longest), "");
}
