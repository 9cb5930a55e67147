/** Reads the rules that count for a directory: each name once, the nearest first. */
import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";

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
	for (const { path, rule, problems } of await Promise.all(find(places).map((file) => read(file, places)))) {
		const taken = rule && byName.get(rule.name);
		if (taken) found.shadowed.push({ path, by: taken.path });
		else if (rule) byName.set(rule.name, rule);
		if (!taken) found.notices.push(...problems);
	}
	found.rules.push(...byName.values());
	return found;
}

async function read(file: RuleFile, { root }: RulePlaces): Promise<Parsed & { path: string }> {
	const { path } = file;
	const shown = shortenHome(path);
	if (file.level === "project" && leadsOut(path, root)) {
		return { path, problems: [`${shown} leads out of the project; it was left out.`] };
	}
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

/** A repository of a stranger must not have the person's files said to a model. */
function leadsOut(path: string, root: string): boolean {
	try {
		const within = relative(realpathSync(root), realpathSync(path));
		return within.startsWith("..") || isAbsolute(within);
	} catch {
		// What cannot be resolved cannot be read either, which is said then.
		return false;
	}
}
