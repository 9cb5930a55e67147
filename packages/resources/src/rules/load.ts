/** Reads the rules that apply to a directory. Discovery decides where they are and which of two is used. */
import { shortenHome } from "@tau/utils";

import { limits } from "./limits.ts";
import { parseRule, type Parsed, type RuleText } from "./parse.ts";
import type { Rule } from "@tau/session/run";

export type RuleFile = Omit<RuleText, "text">;

export interface LoadedRules {
	rules: Rule[];
	/** Notices for the user. */
	notices: string[];
}

export async function loadRules(files: readonly RuleFile[]): Promise<LoadedRules> {
	const all = await Promise.all(files.map(read));
	return {
		rules: all.flatMap(({ rule }) => (rule ? [rule] : [])),
		notices: all.flatMap(({ problems }) => problems),
	};
}

/** What is wrong with the conditions of rules, each rule in one sentence. */
export async function conditionProblems(rules: readonly Rule[], cwd: string): Promise<string[]> {
	// Only here: what compiles them is needed by sessions that have such rules.
	const { StreamRules } = await import("./ttsr/stream-rules.ts");
	return new StreamRules(rules, cwd).problems;
}

async function read(file: RuleFile): Promise<Parsed> {
	const { path } = file;
	const shown = shortenHome(path);
	const text = await Bun.file(path)
		.slice(0, limits.fileBytes + 1)
		.text()
		.catch((error: Error) => error);
	if (text instanceof Error) return { problems: [`Cannot read ${shown}: ${text.message}`] };
	if (text.includes("\0")) return { problems: [`${shown} was skipped: it is not a text file.`] };
	if (Buffer.byteLength(text) > limits.fileBytes) {
		return { problems: [`${shown} was skipped: a rule can have at most ${limits.fileBytes} bytes.`] };
	}
	const { rule, problems } = parseRule({ ...file, path: shown, text });
	return { problems, ...(rule ? { rule: { ...rule, path } } : {}) };
}
