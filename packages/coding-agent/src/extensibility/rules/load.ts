/** Reads the rules that count for a directory: each name once, the nearest first. */
import { shortenHome } from "@tau/utils";

import { findRuleFiles, type FindRules, type RuleFile, type RulePlaces } from "./find.ts";
import { limits } from "./limits.ts";
import { parseRule, type Parsed } from "./parse.ts";
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
	for (const { path, rule, problems } of await Promise.all(find(places).map(read))) {
		const taken = rule && byName.get(rule.name);
		if (taken) found.shadowed.push({ path, by: taken.path });
		else if (rule) byName.set(rule.name, rule);
		if (!taken) found.notices.push(...problems);
	}
	found.rules.push(...byName.values());
	return found;
}

async function read(file: RuleFile): Promise<Parsed & { path: string }> {
	const { path } = file;
	const shown = shortenHome(path);
	const text = await Bun.file(path)
		.slice(0, limits.fileBytes + 1)
		.text()
		.catch((error: Error) => error);
	if (text instanceof Error) return { path, problems: [`${shown} cannot be read: ${text.message}`] };
	if (text.includes("\0")) return { path, problems: [`${shown} is not a text file; it was left out.`] };
	if (Buffer.byteLength(text) > limits.fileBytes) {
		return { path, problems: [`${shown} was left out: a rule has at most ${limits.fileBytes} bytes.`] };
	}
	const { rule, problems } = parseRule({ ...file, path: shown, text });
	return { path, problems, ...(rule ? { rule: { ...rule, path } } : {}) };
}
