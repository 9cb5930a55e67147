/** Finds the files of a package: by its manifest or in conventional directories, as features and filters allow. */
import { dirname, join, relative, resolve, sep } from "node:path";

import { infoOf, isInside, listFiles, realOf } from "@tau/resources/discovery";
import { entriesOf } from "./entries.ts";
import { limits } from "./limits.ts";
import { resourceKinds, type Manifest, type ResourceKind, type Section } from "./manifest.ts";
import { isChosen, isGlob, meansOne, readPatterns, steadyPart, type Patterns } from "./patterns.ts";
import { walkBelow } from "./walk-below.ts";

export interface Resource {
	/** Absolute. A skill is its SKILL.md or its single file. */
	path: string;
	/** The prefix of a command name. */
	namespace?: string;
	/** The directory of the plugin that it is a part of. */
	base: string;
}

export interface ContentsProblem {
	kind: ResourceKind;
	entry: string;
	/** It names something outside of the package. */
	leadsOut: boolean;
	message: string;
}

export interface Contents {
	resources: Readonly<Record<ResourceKind, readonly Resource[]>>;
	problems: readonly ContentsProblem[];
}

/** The user's selection for each kind; all resources of an absent kind are used. */
export type Filters = Partial<Record<ResourceKind, readonly string[]>>;

export interface Choice {
	/** `null`: those that are on by default. */
	features: readonly string[] | null;
	/** Each of them narrows the selection. */
	filters?: readonly Filters[];
}

export function contentsOf(root: string, manifest: Manifest, choice: Choice): Contents {
	const { features, filters = [] } = choice;
	const finder = new Finder(root);
	const chosen = [...manifest.features].filter(([name, feature]) =>
		features === null ? feature.isDefault : features.includes(name),
	);
	const resources = emptyResources();
	for (const section of [manifest.base, ...chosen.map(([, feature]) => feature)])
		for (const kind of resourceKinds) {
			const patterns = filters.flatMap(({ [kind]: list }) =>
				list === undefined ? [] : [readPatterns(list)],
			);
			const known = new Set(resources[kind].map(({ path }) => path));
			const matches = finder
				.find(kind, section)
				.filter((path) => !known.has(path))
				.filter((path) => patterns.every((filter) => isChosen(way(root, path), filter)));
			resources[kind].push(...asResources(root, matches.slice(0, limits.resources - known.size), section));
		}
	return { resources, problems: finder.problems };
}

function asResources(root: string, paths: readonly string[], { namespace, base = "." }: Section): Resource[] {
	const more = { base: resolve(root, base), ...(namespace === undefined ? {} : { namespace }) };
	return paths.map((path) => ({ path, ...more }));
}

/** A single file is an extension. */
export function contentsOfFile(path: string): Contents {
	return { resources: { ...emptyResources(), extensions: [{ path, base: dirname(path) }] }, problems: [] };
}

function emptyResources(): Record<ResourceKind, Resource[]> {
	return Object.fromEntries(resourceKinds.map((kind) => [kind, []])) as unknown as Record<
		ResourceKind,
		Resource[]
	>;
}

class Finder {
	readonly problems: ContentsProblem[] = [];
	readonly #root: string;
	readonly #real: string;

	constructor(root: string) {
		this.#root = root;
		this.#real = realOf(root) ?? root;
	}

	/** Absolute paths, each once, in the order of the entries. */
	find(kind: ResourceKind, { named, usual }: Section): string[] {
		const patterns = readPatterns(named[kind] ?? []);
		const wanted = [...patterns.plain, ...patterns.plus].flatMap((entry) => this.#entry(kind, entry, true));
		const customary = (usual[kind] ?? []).flatMap((entry) => this.#entry(kind, entry, false));
		const files = [...new Set([...wanted, ...customary])];
		return files.filter((file) => !isLeftOut(way(this.#root, file), patterns));
	}

	#entry(kind: ResourceKind, entry: string, isNamed: boolean): string[] {
		const path = resolve(this.#root, entry);
		if (path !== this.#root && !isInside(path, this.#root)) return this.#outside(kind, entry);
		if (isGlob(entry)) return this.#glob(kind, entry);
		const info = infoOf(path);
		if (!info) {
			if (isNamed) this.#report(kind, entry, `names ${entry}, which does not exist`);
			return [];
		}
		const files = info.isDirectory() ? filesIn(kind, path) : [path];
		const inside = files.filter((file) => this.#isOwn(file));
		if (inside.length < files.length) this.#outside(kind, entry);
		return inside;
	}

	#glob(kind: ResourceKind, entry: string): string[] {
		const glob = new Bun.Glob(entry);
		const matches = walkBelow(this.#root, steadyPart(entry)).filter((path) => glob.match(path));
		return matches.flatMap((path) => this.#entry(kind, path, true));
	}

	/** Links are followed before it is judged. */
	#isOwn(path: string): boolean {
		const real = realOf(path);
		return real !== undefined && (real === this.#real || isInside(real, this.#real));
	}

	#outside(kind: ResourceKind, entry: string): [] {
		this.problems.push({ kind, entry, leadsOut: true, message: `"${entry}" points outside the package` });
		return [];
	}

	#report(kind: ResourceKind, entry: string, message: string): void {
		this.problems.push({ kind, entry, leadsOut: false, message });
	}
}

function isLeftOut(file: string, { without, minus }: Patterns): boolean {
	return meansOne(without, file) || meansOne(minus, file);
}

function filesIn(kind: ResourceKind, directory: string): string[] {
	switch (kind) {
		case "extensions":
		case "tools":
			return entriesOf(directory).files;
		case "hooks":
			return infoOf(join(directory, "hooks.json"))?.isFile()
				? [join(directory, "hooks.json")]
				: entriesOf(directory).files;
		case "skills":
			return skillFiles(directory);
		case "prompts":
		case "agents":
			return listFiles(directory, { endings: [".md"] }).map(({ path }) => path);
		case "commands":
			return listFiles(directory, { endings: [".md"], deep: true }).map(({ path }) => path);
		case "rules":
			return listFiles(directory, { endings: [".md", ".mdc"], deep: true }).map(({ path }) => path);
		case "themes":
		case "mcp":
			return listFiles(directory, { endings: [".json"] }).map(({ path }) => path);
	}
}

/** Every folder with a SKILL.md, and single files at the top except a README. */
function skillFiles(directory: string): string[] {
	if (infoOf(join(directory, "SKILL.md"))?.isFile()) return [join(directory, "SKILL.md")];
	return listFiles(directory, { endings: [".md"], deep: true })
		.filter(({ parts }) =>
			parts.length === 1 ? !/^readme$/i.test(parts[0] ?? "") : parts.at(-1) === "SKILL",
		)
		.map(({ path }) => path);
}

function way(root: string, path: string): string {
	return relative(root, path).split(sep).join("/");
}
