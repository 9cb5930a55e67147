/** Reads the rules that count for a directory: each name once, the nearest first. */
import { shortenHome } from "@tau/utils";

import { findRuleFiles, type FindRules, type RuleFile, type RulePlaces } from "./find.ts";
import { limits } from "./limits.ts";
import { parseRule } from "./parse.ts";
import type { Rule } from "./rule.ts";

export interface FoundRules {
	rules: Rule[];
	/** Files whose name another one has taken. */
	shadowed: { path: string; by: string }[];
	/** What a person should know. */
	notices: string[];
}

/** `find` is the seam for whoever knows more places. */
export async function loadRules(places: RulePlaces, find: FindRules = findRuleFiles): Promise<FoundRules> {
	const byName = new Map<string, Rule>();
	const found: FoundRules = { rules: [], shadowed: [], notices: [] };
	for (const file of find(places)) {
		const taken = byName.get(file.name);
		if (taken) {
			found.shadowed.push({ path: file.path, by: taken.path });
			continue;
		}
		const rule = await read(file, found.notices);
		if (rule) byName.set(rule.name, rule);
	}
	found.rules.push(...byName.values());
	return found;
}

async function read(file: RuleFile, notices: string[]): Promise<Rule | undefined> {
	const shown = shortenHome(file.path);
	const opened = Bun.file(file.path);
	const text = await opened
		.slice(0, limits.fileBytes + 1)
		.text()
		.catch((error: Error) => error);
	if (text instanceof Error) return void notices.push(`${shown} cannot be read: ${text.message}`);
	if (text.includes("\0")) return void notices.push(`${shown} is not a text file; it was left out.`);
	if (Buffer.byteLength(text) > limits.fileBytes) {
		return void notices.push(`${shown} was left out: a rule has at most ${limits.fileBytes} bytes.`);
	}
	const { rule, problems } = parseRule({ ...file, path: shown, text });
	notices.push(...problems);
	return rule && { ...rule, path: file.path };
}
