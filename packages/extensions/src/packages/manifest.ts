/** Reads a package's manifest: that of Tau, oh-my-pi or pi, of Claude Code's plugins, or none at all. */
import { join } from "node:path";

import { isRecord } from "@tau/utils";

import { claudeManifest, marketplaceManifest } from "./claude-manifest.ts";
import { readJson, tableIn, textIn, textsIn } from "./record.ts";
import { readSchemas, type SettingSchema } from "./setting-schema.ts";

export const resourceKinds = [
	"extensions",
	"skills",
	"prompts",
	"themes",
	"commands",
	"agents",
	"rules",
	"hooks",
	"tools",
	"mcp",
] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Paths and globs below the root of the package. */
export type Entries = Partial<Record<ResourceKind, readonly string[]>>;

/** What belongs together: the package itself, or one feature of it. */
export interface Section {
	/** What the manifest names: it has to be there. */
	named: Entries;
	/** The conventional directories; they may be missing. */
	usual: Entries;
	/** The prefix of command names. */
	namespace?: string;
	/** The directory that it is about, where that is not the root: a marketplace has one for each plugin. */
	base?: string;
}

export interface Feature extends Section {
	description?: string;
	isDefault: boolean;
}

export type PackageFormat = "tau" | "omp" | "pi" | "claude" | "marketplace" | "plain";

export interface Manifest {
	name?: string;
	version?: string;
	description?: string;
	format: PackageFormat;
	base: Section;
	features: ReadonlyMap<string, Feature>;
	settings: ReadonlyMap<string, SettingSchema>;
	/** The packages that its code depends on, with the requested versions. */
	dependencies: ReadonlyMap<string, string>;
	/** Scripts that npm would run on its installation. Tau does not. */
	installScripts: readonly string[];
}

export type ReadManifest = { ok: true; manifest: Manifest } | { ok: false; reason: string };

/** In this order, if there are several. */
const ownKeys = ["tau", "omp", "pi"] as const;

export function readManifest(root: string): ReadManifest {
	const file = readJson(join(root, "package.json"));
	if (!file.ok && !file.isMissing) return { ok: false, reason: `package.json: ${file.reason}` };
	const json = file.ok ? file.value : {};
	const common = {
		...optional("name", textIn(json, "name")),
		...optional("version", textIn(json, "version")),
		...optional("description", textIn(json, "description")),
		dependencies: dependenciesOf(json),
		installScripts: ["preinstall", "install", "postinstall"].filter(
			(name) => name in tableIn(json, "scripts"),
		),
	};
	const key = ownKeys.find((own) => isRecord(json[own]));
	if (key !== undefined)
		return { ok: true, manifest: { ...common, ...ownManifest(key, tableIn(json, key)) } };
	const claude = claudeManifest(root) ?? marketplaceManifest(root);
	if (claude && !claude.ok) return claude;
	if (claude) return { ok: true, manifest: { ...common, ...claude.manifest } };
	return { ok: true, manifest: { ...common, format: "plain", base: usualDirectories, ...noChoices } };
}

const noChoices = { features: new Map<string, Feature>(), settings: new Map<string, SettingSchema>() };

const usualDirectories: Section = {
	named: {},
	usual: {
		extensions: ["extensions"],
		skills: ["skills"],
		prompts: ["prompts"],
		themes: ["themes"],
		commands: ["commands"],
		rules: ["rules"],
	},
};

function ownManifest(
	format: "tau" | "omp" | "pi",
	own: Record<string, unknown>,
): Pick<Manifest, "format" | "base" | "features" | "settings" | "description"> {
	const features = Object.entries(tableIn(own, "features")).flatMap(([name, value]): [string, Feature][] => {
		if (!isRecord(value)) return [];
		const description = optional("description", textIn(value, "description"));
		return [
			[name, { named: entriesOf(value), usual: {}, ...description, isDefault: value.default === true }],
		];
	});
	return {
		format,
		...optional("description", textIn(own, "description")),
		base: { named: entriesOf(own), usual: {} },
		features: new Map(features),
		settings: readSchemas(tableIn(own, "settings")),
	};
}

function entriesOf(value: Record<string, unknown>): Entries {
	const entries: Partial<Record<ResourceKind, readonly string[]>> = {};
	for (const kind of resourceKinds) {
		const texts = textsIn(value, kind);
		if (texts) entries[kind] = texts;
	}
	return entries;
}

/** What Tau itself provides to extensions: a second copy would not be compatible with the first. */
const given = /^(?:@(?:earendil-works|mariozechner|oh-my-pi)\/pi-|(?:@sinclair\/)?typebox$)/;

function dependenciesOf(json: Record<string, unknown>): Map<string, string> {
	const all = { ...tableIn(json, "optionalDependencies"), ...tableIn(json, "dependencies") };
	return new Map(
		Object.entries(all).filter(
			(entry): entry is [string, string] => typeof entry[1] === "string" && !given.test(entry[0]),
		),
	);
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
	return (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
}
