/** Collects the rules of the settings and of other programs' files. A file of a project narrows what the user allows. */
import { readFileSync, statSync } from "node:fs";

import { isRecord, parseFailure, shortenHome } from "@tau/utils";

import type { Settings } from "@tau/config/settings";
import { limits } from "./limits.ts";
import { parseRule, type PermissionRule, type RuleBase, type RuleList } from "./permission-rules.ts";

/** A settings file of Claude Code that may hold rules. */
export interface RuleFile {
	readonly path: string;
	/** Of the user, or of the project. */
	readonly level: "user" | "project";
	/** Base directory for patterns that start with `/`. */
	readonly root: string;
}

export interface RuleSources {
	readonly settings: Pick<Settings, "get" | "valuesOf">;
	readonly files: readonly RuleFile[];
	readonly base: RuleBase;
	/** Whether the user trusts the project. */
	readonly isTrusted: boolean;
}

export interface CollectedRules {
	readonly rules: readonly PermissionRule[];
	/** One line for the user about each rule that cannot be used. */
	readonly problems: readonly string[];
}

const lists = ["allow", "ask", "deny"] as const;

export function collectRules(sources: RuleSources): CollectedRules {
	const { settings, files, base, isTrusted } = sources;
	const collected = new Collector(isTrusted && settings.get("permissions.projectAllow"));
	for (const list of lists)
		for (const { layer, file, value } of settings.valuesOf(`permissions.${list}`))
			collected.add(list, value, { source: file ?? layer, isProject: layer === "project", base });
	for (const { layer, file, value } of settings.valuesOf("tools.approval"))
		for (const [name, word] of Object.entries(value))
			collected.addTool(name, word, { source: file ?? layer, isProject: layer === "project", base });
	for (const { path, level, root } of files) {
		const origin = { source: path, isProject: level === "project", base: { ...base, root } };
		const read = readPermissions(path);
		if (typeof read === "string") collected.problems.push(`${shortenHome(path)}: ${read}`);
		else for (const list of lists) collected.add(list, read[list], origin);
	}
	return collected;
}

interface Origin {
	source: string;
	isProject: boolean;
	base: RuleBase;
}

class Collector implements CollectedRules {
	readonly rules: PermissionRule[] = [];
	readonly problems: string[] = [];
	readonly #mayProjectAllow: boolean;

	constructor(mayProjectAllow: boolean) {
		this.#mayProjectAllow = mayProjectAllow;
	}

	add(list: RuleList, texts: readonly string[], { source, isProject, base }: Origin): void {
		if (list === "allow" && isProject && !this.#mayProjectAllow) return;
		if (texts.length > limits.rulesPerFile) {
			const of = `${shortenHome(source)}: permissions.${list}`;
			this.problems.push(`${of} has ${texts.length} rules; the first ${limits.rulesPerFile} are used.`);
		}
		for (const text of texts.slice(0, limits.rulesPerFile)) {
			const parsed = parseRule(text, base);
			if (!parsed.ok)
				this.problems.push(`${shortenHome(source)}: permissions.${list} "${text}": ${parsed.problem}.`);
			else if (parsed.subject) this.rules.push({ list, text, source, subject: parsed.subject });
		}
	}

	addTool(name: string, word: string, { source, isProject }: Origin): void {
		const list = word === "prompt" ? "ask" : lists.find((known) => known === word);
		if (!list)
			this.problems.push(
				`${shortenHome(source)}: tools.approval.${name} must be allow, ask or deny, not "${word}".`,
			);
		else if (list !== "allow" || !isProject || this.#mayProjectAllow)
			this.rules.push({ list, text: name, source, subject: { kind: "tool", name } });
	}
}

/** A file that is missing has no rules; one that cannot be read is reported, because it may deny something. */
function readPermissions(path: string): Record<RuleList, string[]> | string {
	const none = { allow: [], ask: [], deny: [] };
	let text = "";
	try {
		const facts = statSync(path, { throwIfNoEntry: false });
		if (!facts?.isFile()) return none;
		if (facts.size > limits.ruleFileBytes) return "it is too large; its permission rules are not used.";
		text = readFileSync(path, "utf8");
		const parsed: unknown = Bun.JSONC.parse(text);
		const permissions = isRecord(parsed) && isRecord(parsed.permissions) ? parsed.permissions : {};
		const strings = (value: unknown): string[] =>
			Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
		return {
			allow: strings(permissions.allow),
			ask: strings(permissions.ask),
			deny: strings(permissions.deny),
		};
	} catch (error) {
		const reason = parseFailure(error, text);
		return `its permission rules cannot be read: ${reason}`;
	}
}
