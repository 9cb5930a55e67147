/** The description of a source: the directories of one program, in the project and at home, and the contents of each. */
import type { TemplateFormat } from "../prompt-templates/index.ts";
import type { DiscoveryPaths } from "./discovery-paths.ts";

/** One location; `at` is a path below a directory of the project, or below the user's base. */
export type Part =
	| { kind: "skills"; at: string; rootFiles: boolean }
	| { kind: "commands"; at: string; ending: string; format: TemplateFormat; deep: boolean }
	/** A directory of files that end so, or a single file. */
	| { kind: "rules"; at: string; endings: readonly string[]; deep: boolean; isAlwaysByDefault: boolean }
	| { kind: "agents"; at: string; endings: readonly string[]; deep: boolean }
	/** A file of settings; the servers are under one of the keys. `a/b` is the key `b` of the group `a`. */
	| { kind: "mcp"; at: string; keys: readonly string[] }
	/** A file of settings with hooks in Claude Code's form. */
	| { kind: "hooks"; at: string };

export interface Source {
	/** As named in `discovery.disabled`. */
	readonly id: string;
	/** The display name: `Claude Code`. */
	readonly label: string;
	readonly project: readonly Part[];
	readonly user: readonly Part[];
	/** The base directory of the user's locations; the home directory by default. */
	userBase?(paths: DiscoveryPaths): string;
}

export function skillsIn(at: string, { rootFiles = false }: { rootFiles?: boolean } = {}): Part {
	return { kind: "skills", at, rootFiles };
}

interface CommandOptions {
	ending?: string;
	format?: TemplateFormat;
	/** Whether folders below are part of the name. */
	deep?: boolean;
}

export function commandsIn(
	at: string,
	{ ending = ".md", format = "markdown", deep = false }: CommandOptions = {},
): Part {
	return { kind: "commands", at, ending, format, deep };
}

interface RuleOptions {
	endings?: readonly string[];
	/** Whether folders below are part of the name. */
	deep?: boolean;
	/** Whether a rule without a condition always applies. */
	isAlwaysByDefault?: boolean;
}

export function rulesIn(
	at: string,
	{ endings = [".md", ".mdc"], deep = false, isAlwaysByDefault = true }: RuleOptions = {},
): Part {
	return { kind: "rules", at, endings, deep, isAlwaysByDefault };
}

/** Instructions as Copilot has them: for the files that `applyTo` names, otherwise on demand. */
export function instructionsIn(at: string, endings: readonly string[] = [".md"]): Part {
	return rulesIn(at, { endings, deep: true, isAlwaysByDefault: false });
}

export function agentsIn(at: string, endings: readonly string[] = [".md"]): Part {
	return { kind: "agents", at, endings, deep: false };
}

export function mcpIn(at: string, keys: readonly string[] = ["mcpServers"]): Part {
	return { kind: "mcp", at, keys };
}

export function hooksIn(at: string): Part {
	return { kind: "hooks", at };
}
