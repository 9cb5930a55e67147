/** omp's capabilities on top of Tau's own discovery: the same files, in the same order, under omp's names. */
import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";

import { discoveryPaths } from "@tau/resources/sources";
import { describeWarning, Switches } from "@tau/resources/discovery";
import { eachCapability, standardRegistry } from "@tau/extensions/resources";
import { perScope } from "@tau/extensions/support";

import { SettingsManager } from "../sdk/settings-manager.ts";
import { parseFrontmatter } from "../support/frontmatter.ts";
import type { Capability, CapabilityProvider, LoadContext, SourceMeta } from "./types.ts";

/** What all kinds of Tau's items have, and what some have. */
interface Found {
	name: string;
	path: string;
	level: "user" | "project";
	provider: string;
	description?: string;
	argumentHint?: string;
	isHidden?: boolean;
	transport?: string;
	target?: string;
	isOff?: boolean;
}

type Item = { _source: SourceMeta } & Record<string, unknown>;

interface Kind {
	id: string;
	displayName: string;
	description: string;
	/** Tau's name of it. */
	own: string;
	key(item: Item): string | undefined;
	shape(found: Found, context: LoadContext): Record<string, unknown>;
	filter?(found: Found): boolean;
}

const byName = ({ name }: Item): string => String(name);
const byPath = ({ path }: Item): string => String(path);

const kinds: readonly Kind[] = [
	{
		id: "context-files",
		displayName: "Context files",
		description: "AGENTS.md, CLAUDE.md and the like",
		own: "context",
		key: byPath,
		shape: ({ path, level }, { cwd }) => ({
			path,
			level,
			content: textOf(path),
			...(level === "project" ? { depth: depthOf(path, cwd) } : {}),
		}),
	},
	{
		id: "skills",
		displayName: "Skills",
		description: "Instructions that the model reads when it needs them",
		own: "skills",
		key: byName,
		shape({ name, path, level, description, isHidden }) {
			const { frontmatter, body } = parseFrontmatter(textOf(path));
			const disabled = isHidden === true ? { disableModelInvocation: true } : {};
			return { name, path, level, content: body, frontmatter: { ...frontmatter, description, ...disabled } };
		},
	},
	{
		id: "slash-commands",
		displayName: "Slash commands",
		description: "Templates that the user calls by name",
		own: "commands",
		key: byName,
		filter: ({ path }) => !isPrompt(path),
		shape: ({ name, path, level, description, argumentHint }) => ({
			name,
			path,
			level,
			content: parseFrontmatter(textOf(path)).body,
			description,
			...(argumentHint === undefined ? {} : { argumentHint }),
		}),
	},
	{
		id: "prompts",
		displayName: "Prompts",
		description: "Templates in prompts/ directories",
		own: "commands",
		key: byName,
		filter: ({ path }) => isPrompt(path),
		shape: ({ name, path }) => ({ name, path, content: textOf(path) }),
	},
	{
		id: "rules",
		displayName: "Rules",
		description: "Rules for the model, always or on a condition",
		own: "rules",
		key: byName,
		shape({ name, path }) {
			const { frontmatter, body } = parseFrontmatter(textOf(path));
			return { ...frontmatter, name, path, content: body };
		},
	},
	{
		id: "mcps",
		displayName: "MCP servers",
		description: "Servers that files configure",
		own: "mcp",
		key: byName,
		shape: ({ name, transport, target, isOff }) => ({
			name,
			enabled: isOff !== true,
			transport,
			...(transport === "stdio" ? { command: target } : { url: target }),
		}),
	},
	{
		id: "extension-modules",
		displayName: "Extensions",
		description: "Modules that extend the agent",
		own: "extensions",
		key: byPath,
		shape: ({ name, path, level }) => ({ name, path, level }),
	},
	{
		id: "tools",
		displayName: "Custom tools",
		description: "Modules that define a tool",
		own: "tools",
		key: byPath,
		shape: ({ name, path, level }) => ({ name, path, level, description: "" }),
	},
];

/** Capabilities of omp for which Tau has no files: they can be loaded, and providers of extensions fill them. */
const empty = ["extensions", "hooks", "instructions", "settings", "ssh", "system-prompt"];

export function builtinCapabilities(): Capability<Item>[] {
	return [
		...kinds.map(({ id, displayName, description, key }) => ({
			id,
			displayName,
			description,
			key,
			providers: [],
		})),
		...empty.map((id) => ({ id, displayName: id, description: "", key: byName, providers: [] })),
	];
}

/** The items of one capability, by the program in whose files they were found. */
export async function builtinProviders(
	id: string,
	context: LoadContext,
): Promise<CapabilityProvider<Item>[]> {
	const kind = kinds.find((each) => each.id === id);
	if (!kind) return [];
	const { found, warnings } = await discover(kind.own, context.cwd);
	const bySource = Map.groupBy(
		found.filter((each) => kind.filter?.(each) ?? true),
		({ provider }) => provider,
	);
	if (bySource.size === 0 && warnings.length > 0) bySource.set("tau", []);
	return [...bySource].map(([source, items], at) => ({
		id: source,
		displayName: source,
		description: `What Tau found in the files of ${source}`,
		priority: highest - at,
		load: async () => ({
			items: items.map((each) => ({ ...kind.shape(each, context), _source: sourceOf(each) })),
			// Tau's discovery reports them for all sources at once.
			warnings: at === 0 ? warnings : [],
		}),
	}));
}

/** Tau's own order: above what extensions register with omp's usual numbers, which end at 100. */
const highest = 1000;

async function discover(own: string, cwd: string): Promise<{ found: Found[]; warnings: string[] }> {
	const disabled = settings().get("discovery.disabled");
	const switches = new Switches(Array.isArray(disabled) ? disabled.map(String) : []);
	const registry = standardRegistry();
	const paths = discoveryPaths(cwd, process.env);
	const loads = eachCapability((capability) => ({
		id: capability.id,
		load: () => registry.load(capability, paths, switches),
	}));
	const loaded = await loads.find(({ id }) => id === own)?.load();
	return {
		found: (loaded?.items ?? []).map((item) => ({
			...item,
			path: item.origin.path,
			level: item.origin.level === "project" ? "project" : "user",
			provider: item.origin.source,
		})),
		warnings: (loaded?.warnings ?? []).map(describeWarning),
	};
}

const settings = perScope(() => SettingsManager.create());

function sourceOf({ provider, path, level }: Found): SourceMeta {
	return { provider, providerName: provider, path, level };
}

function isPrompt(path: string): boolean {
	return /[/\\]prompts[/\\]/.test(path);
}

/** How many directories above the working directory the file is. */
function depthOf(path: string, cwd: string): number {
	return relative(dirname(path), cwd).split(/[/\\]/).filter(Boolean).length;
}

/** A file that is gone since it was found has no text. */
function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
