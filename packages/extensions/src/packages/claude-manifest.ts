/** Reads Claude Code's plugins: `.claude-plugin/plugin.json`, and a marketplace with its plugins beside it. */
import { join, posix } from "node:path";

import { isRecord } from "@tau/utils";

import type { Entries, Feature, Manifest, Section } from "./manifest.ts";
import { readJson, tableIn, textIn, textsIn } from "./record.ts";

type Read =
	| { ok: true; manifest: Pick<Manifest, "format" | "base" | "features" | "settings"> & Partial<Manifest> }
	| { ok: false; reason: string };

const pluginFile = ".claude-plugin/plugin.json";
const marketplaceFile = ".claude-plugin/marketplace.json";

/** Undefined if there is no such file. */
export function claudeManifest(root: string): Read | undefined {
	const file = readJson(join(root, pluginFile));
	if (!file.ok) return file.isMissing ? undefined : { ok: false, reason: `${pluginFile}: ${file.reason}` };
	const { value } = file;
	const about = aboutOf(value);
	return {
		ok: true,
		manifest: {
			format: "claude",
			...about,
			base: claudeSection(value, ".", about.name ?? ""),
			features: new Map(),
			settings: new Map(),
		},
	};
}

/** Every plugin of it is a feature that can be left out. One in another repository is a separate package. */
export function marketplaceManifest(root: string): Read | undefined {
	const file = readJson(join(root, marketplaceFile));
	if (!file.ok)
		return file.isMissing ? undefined : { ok: false, reason: `${marketplaceFile}: ${file.reason}` };
	const features = new Map<string, Feature>();
	const above = textIn(tableIn(file.value, "metadata"), "pluginRoot") ?? ".";
	const plugins: unknown = file.value.plugins;
	for (const plugin of Array.isArray(plugins) ? plugins : []) {
		if (!isRecord(plugin)) continue;
		const [name, place] = [textIn(plugin, "name"), textIn(plugin, "source")];
		if (name === undefined || place === undefined || /^[a-z]+:/i.test(place)) continue;
		const base = posix.join(above, place);
		const own = readJson(join(root, base, pluginFile));
		const section = claudeSection({ ...plugin, ...(own.ok ? own.value : {}) }, base, name);
		const description = textIn(plugin, "description");
		features.set(name, {
			...section,
			isDefault: true,
			...(description === undefined ? {} : { description }),
		});
	}
	const base: Section = { named: {}, usual: {} };
	return {
		ok: true,
		manifest: { format: "marketplace", ...aboutOf(file.value), base, features, settings: new Map() },
	};
}

/** What plugin.json names is added to the conventional directories. */
function claudeSection(value: Record<string, unknown>, base: string, namespace: string): Section {
	const below = (path: string): string => posix.join(base, path);
	const named: Record<string, string[]> = {};
	for (const kind of ["commands", "agents", "skills"] as const)
		named[kind] = (textsIn(value, kind) ?? []).map(below);
	named.hooks = filesOrInline(value, "hooks", below);
	named.mcp = filesOrInline(value, "mcpServers", below);
	return {
		named: named as Entries,
		usual: {
			commands: [below("commands")],
			agents: [below("agents")],
			skills: [below("skills")],
			hooks: [below("hooks/hooks.json")],
			mcp: [below(".mcp.json")],
		},
		...(namespace === "" ? {} : { namespace }),
		base,
	};
}

/** Hooks and servers may be defined in plugin.json itself: it is their file then. */
function filesOrInline(
	value: Record<string, unknown>,
	key: string,
	below: (path: string) => string,
): string[] {
	if (isRecord(value[key])) return [below(pluginFile)];
	return (textsIn(value, key) ?? []).map(below);
}

function aboutOf(value: Record<string, unknown>): Pick<Manifest, "name" | "version" | "description"> {
	const about: Record<string, string> = {};
	for (const key of ["name", "version", "description"]) {
		const text = textIn(value, key);
		if (text !== undefined) about[key] = text;
	}
	return about;
}
