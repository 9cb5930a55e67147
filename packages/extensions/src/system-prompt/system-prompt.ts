/** Builds the system prompt from its parts. It is made once a session and stays the same, so that providers can cache it. */
import { localDate, fill } from "@tau/utils";
import type { SortedRules } from "@tau/resources/rules";
import type { ContextFile } from "@tau/resources/context-files";
import moreDirectories from "./directories.md" with { type: "text" };
import environment from "./environment.md" with { type: "text" };
import extensionTools from "./extension-tools.md" with { type: "text" };
import type { Rule } from "@tau/session/run";

import projectContext from "./project-context.md" with { type: "text" };
import skillsIntro from "./skills.md" with { type: "text" };
import rulesAlways from "./rules-always.md" with { type: "text" };
import rulesOnDemand from "./rules-on-demand.md" with { type: "text" };
import system from "./system.md" with { type: "text" };
import toolRules from "./tool-rules.md" with { type: "text" };

export interface SystemPromptOptions {
	cwd: string;
	/** The name of the other machine that the tools work on. */
	machine?: string | undefined;
	/** The day on which the session started (`2026-11-15`), today by default. */
	date?: string;
	/** The names of the tools in use: rules about other tools are left out. */
	tools?: readonly string[];
	/** Whether the working directory is in a git repository. */
	isRepository?: boolean;
	/** Replaces the built-in text; the project's instructions still follow. */
	replace?: string;
	append?: string;
	/** Further directories that belong to the work. */
	directories?: readonly string[];
	contextFiles?: readonly ContextFile[];
	/** A line for each skill that the model may use. */
	skills?: readonly string[];
	/** All discovered rules; `rules` are those that are included here. */
	foundRules?: readonly Rule[];
	rules?: Pick<SortedRules, "always" | "onDemand">;
	/** Text of extension tools, used only with the built-in text: one line for each, and rules. */
	snippets?: Readonly<Record<string, string>>;
	guidelines?: readonly string[];
}

export function systemPrompt(options: SystemPromptOptions): string {
	const { replace, append, contextFiles = [], rules } = options;
	const parts = [
		replace ?? builtin(options),
		append,
		instructions(contextFiles),
		skillList(options),
		...(rules ? ruleParts(rules) : []),
	];
	return parts
		.map((part) => part?.trim())
		.filter(Boolean)
		.join("\n\n");
}

function builtin(options: SystemPromptOptions): string {
	const {
		cwd,
		machine,
		tools = [],
		isRepository = false,
		snippets = {},
		guidelines = [],
		directories = [],
		date,
	} = options;
	const facts = fill(environment, {
		date: date ?? localDate(),
		platform: machine === undefined ? `${process.platform} ${process.arch}` : `${machine}, reached by ssh`,
		git: isRepository ? " The project is a git repository." : "",
		directories:
			directories.length > 0 ? ` ${fill(moreDirectories, { list: directories.join(", ") }).trim()}` : "",
	});
	const lines = Object.entries(snippets).map(([name, snippet]) => `- ${name}: ${oneLine(snippet)}`);
	const brought = lines.length > 0 ? [fill(extensionTools, { tools: lines.join("\n") }).trim()] : [];
	const rules = new Set([...rulesFor(tools), ...guidelines.map((rule) => `- ${oneLine(rule)}`)]);
	return [
		[fill(system, { cwd: machine === undefined ? cwd : `${cwd} on ${machine}` }), ...rules].join("\n"),
		...brought,
		facts,
	].join("\n\n");
}

function oneLine(text: string): string {
	return text.trim().replace(/\s*\n\s*/g, " ");
}

function rulesFor(tools: readonly string[]): string[] {
	return toolRules
		.trim()
		.split("\n")
		.flatMap((line) => {
			const rule = wordsFor(line.replace(/^- /, ""), tools);
			return rule === undefined ? [] : [`- ${rule}`];
		});
}

/** `[a b] words` are included only if the tools a and b are both active. */
function wordsFor(text: string, tools: readonly string[]): string | undefined {
	const [, needs, label] = /^\[([^\]]*)\] (.*)$/s.exec(text.trim()) ?? [];
	return needs?.split(" ").every((name) => tools.includes(name)) ? label : undefined;
}

function instructions(files: readonly ContextFile[]): string | undefined {
	if (files.length === 0) return undefined;
	const shown = files.map(
		({ path, content }) => `<instructions from="${path}">\n${content}\n</instructions>`,
	);
	return [projectContext.trim(), ...shown].join("\n\n");
}

function ruleParts({ always, onDemand }: Pick<SortedRules, "always" | "onDemand">): (string | undefined)[] {
	const lines = always.map(({ name, content }) => `<rule name="${name}">\n${content}\n</rule>`);
	const named = onDemand.map(({ name, description = "" }) => `- ${name}: ${description}`);
	return [
		lines.length > 0 ? [rulesAlways.trim(), ...lines].join("\n\n") : undefined,
		named.length > 0 ? [rulesOnDemand.trim(), ...named].join("\n") : undefined,
	];
}

/** A model that cannot read files has no use for skills. */
function skillList({ skills = [], tools = [] }: SystemPromptOptions): string | undefined {
	const intro = wordsFor(skillsIntro, tools);
	return skills.length === 0 || intro === undefined ? undefined : [intro, ...skills].join("\n");
}
