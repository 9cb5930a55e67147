/** pi's `parseArgs`: a command line as Tau reads it, by pi's names. */
import { thinkingLevels, type ThinkingLevel } from "@tau/ai";
import { UsageError } from "@tau/utils";

import { parseArgs as parse } from "./args.ts";
import type { FlagName } from "./flags.ts";

export interface ParsedArgs {
	provider?: string;
	model?: string;
	apiKey?: string;
	systemPrompt?: string;
	appendSystemPrompt?: string[];
	thinking?: ThinkingLevel;
	mode?: string;
	session?: string;
	sessionDir?: string;
	fork?: string;
	models?: string[];
	tools?: string[];
	extensions?: string[];
	skills?: string[];
	[toggle: string]: unknown;
	messages: string[];
	fileArgs: string[];
	unknownFlags: Map<string, boolean | string>;
	diagnostics: { type: "warning" | "error"; message: string }[];
}

const switches: readonly FlagName[] = [
	"print",
	"continue",
	"resume",
	"help",
	"version",
	"no-session",
	"no-tools",
	"no-extensions",
	"no-skills",
	"no-prompt-templates",
	"no-context-files",
];

/** A command line as Tau reads it, by pi's names. */
export function parseArgs(argv: readonly string[]): ParsedArgs {
	const nothing = { messages: [], fileArgs: [], unknownFlags: new Map(), diagnostics: [] };
	try {
		const { flags, repeated, extra, messages, files } = parse(argv, { isLenient: true });
		const text = (name: FlagName, as: string): object => (flags.has(name) ? { [as]: flags.get(name) } : {});
		const list = (name: FlagName, as: string): object =>
			flags.has(name) ? { [as]: repeated?.get(name) ?? flags.get(name)?.split(",") } : {};
		const thinking = thinkingLevels.find((level) => level === flags.get("thinking"));
		return {
			...nothing,
			...text("provider", "provider"),
			...text("model", "model"),
			...text("api-key", "apiKey"),
			...text("system-prompt", "systemPrompt"),
			...(flags.has("append-system-prompt")
				? { appendSystemPrompt: [flags.get("append-system-prompt") ?? ""] }
				: {}),
			...(thinking ? { thinking } : {}),
			...text("mode", "mode"),
			...text("session", "session"),
			...text("session-dir", "sessionDir"),
			...text("fork", "fork"),
			...list("models", "models"),
			...list("tools", "tools"),
			...list("extension", "extensions"),
			...list("skill", "skills"),
			...Object.fromEntries(switches.filter((name) => flags.has(name)).map((name) => [camel(name), true])),
			messages,
			fileArgs: files,
			unknownFlags: new Map([...(extra ?? [])].map(([name, value]) => [name, value === "" ? true : value])),
		};
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		return { ...nothing, diagnostics: [{ type: "error", message: error.message }] };
	}
}

function camel(name: string): string {
	return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
