/** The kinds of things that are found. */
import type { AgentFile } from "@tau/resources/agents";
import type { HookItem } from "../hooks/index.ts";
import type { McpServerConfig } from "@tau/resources/mcp";
import type { PromptTemplate } from "@tau/resources/prompt-templates";
import type { Skill } from "@tau/resources/skills";
import type { Capability, Discovered } from "@tau/resources/discovery";

/** A file that is only listed here; the code that uses it reads it. */
export interface NamedFile extends Discovered {
	path: string;
}

export interface ContextItem extends NamedFile {
	/** Only one file per slot is used, for example of AGENTS.md and CLAUDE.md in one directory. */
	slot: string;
}

export interface McpServer extends Discovered {
	transport: McpServerConfig["transport"];
	/** The program or the address. */
	target: string;
	/** True if its file disables it. */
	isOff: boolean;
	/** The whole definition, which may contain secrets. */
	config: McpServerConfig;
}

const byName = ({ name }: Discovered): string => name;
const nothingMore = (): string => "";

export const contextFiles: Capability<ContextItem> = {
	id: "context",
	title: "Instructions",
	key: ({ slot }) => slot,
	about: nothingMore,
};
export const skills: Capability<Skill> = {
	id: "skills",
	title: "Skills",
	key: byName,
	about: ({ description, isHidden }) => (isHidden ? `(only by /skill:) ${description}` : description),
};
export const commands: Capability<PromptTemplate> = {
	id: "commands",
	title: "Commands and prompt templates",
	key: byName,
	about: ({ description, argumentHint }) => [argumentHint, description].filter(Boolean).join(" "),
};
export interface RuleFile extends NamedFile {
	/** Whether a rule without a condition in its frontmatter always applies; in Cursor it applies on request. */
	isAlwaysByDefault: boolean;
}

/** Users have the same rules for several programs, so only one rule of each name applies. */
export const rules: Capability<RuleFile> = {
	id: "rules",
	title: "Rules",
	key: byName,
	about: nothingMore,
};
export const agents: Capability<AgentFile> = {
	id: "agents",
	title: "Agents",
	key: byName,
	about: ({ type }) => type.description,
};
export const mcpServers: Capability<McpServer> = {
	id: "mcp",
	title: "MCP servers",
	key: byName,
	about: ({ target }) => target,
	disabledBy: ({ isOff }) => (isOff ? "in its file" : undefined),
};
export const extensions: Capability<NamedFile> = {
	id: "extensions",
	title: "Extensions",
	key: ({ path }) => path,
	about: nothingMore,
};
export const tools: Capability<NamedFile> = {
	id: "tools",
	title: "Custom tools",
	key: ({ path }) => path,
	about: nothingMore,
};
/** Every hook is a hook; the same command is run once for an event. */
export const hooks: Capability<HookItem> = {
	id: "hooks",
	title: "Hooks",
	key: () => undefined,
	about: (hook) => (hook.kind === "command" ? hook.command : "disables the hooks of its program"),
};

/** Visits the capabilities in the order in which they are shown to the user. */
export function eachCapability<R>(visit: <T extends Discovered>(capability: Capability<T>) => R): R[] {
	return [
		visit(contextFiles),
		visit(skills),
		visit(commands),
		visit(rules),
		visit(agents),
		visit(mcpServers),
		visit(extensions),
		visit(tools),
		visit(hooks),
	];
}
