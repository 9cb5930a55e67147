/** Finds code by its structure in a worker process: a parser of foreign code can need any time and memory. */
import { WorkerPool, WorkerStopped } from "@tau/sys";

import type { MatchBounds, Outcome, StructureMatches } from "./engine.ts";
import type { Language } from "./languages.ts";
import { limits } from "./limits.ts";
import type { tasks } from "./tasks.ts";

const parsers = new WorkerPool<typeof tasks>({
	name: "tools",
	entry: "@tau/tools/worker",
	load: async () => (await import("./tasks.ts")).tasks,
});

export interface StructureQuestion extends MatchBounds {
	language: Language;
	text: string;
	pattern: string;
	signal?: AbortSignal | undefined;
}

/** A file that cannot be parsed within the limits; a pattern that fails for one text fails for all. */
export type StructureOutcome = Outcome<StructureMatches> | { ok: false; reason: string; isStopped: true };

/** The matches in a text, in order, or why there are none. */
export async function findStructure(question: StructureQuestion): Promise<StructureOutcome> {
	const { language, text, pattern, signal, ...bounds } = question;
	if (pattern.length > limits.patternChars) {
		const most = limits.patternChars;
		return {
			ok: false,
			reason: `The pattern has ${pattern.length} characters; at most ${most} are allowed.`,
		};
	}
	try {
		const args = [language.engine, language.library !== undefined, text, pattern, bounds] as const;
		const outcome = await parsers.run("structure", [...args], { limits: limits.parsing, signal });
		if (outcome.ok) return outcome;
		return { ok: false, reason: `${outcome.reason} (pattern for ${language.name}: ${pattern})` };
	} catch (error) {
		if (error instanceof WorkerStopped) return { ok: false, reason: error.message, isStopped: true };
		throw error;
	}
}
