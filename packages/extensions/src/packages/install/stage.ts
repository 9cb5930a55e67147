/** Prepares a package in a new folder that is not in use yet. */
import { statSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";

import type { Env } from "@tau/utils";

import { contentsOf } from "../contents.ts";
import { readManifest, resourceKinds, type Manifest } from "../manifest.ts";
import { PackageError } from "../problem.ts";
import { fallbackName, nameProblem, sourceText, type FeatureChoice, type PackageSource } from "../source.ts";
import type { PackageEntry } from "../state.ts";
import type { PackageHome } from "../homes.ts";
import { newFolder, settle } from "../store.ts";
import { installDependencies } from "./dependencies.ts";
import { fetchRepository } from "./git.ts";
import { fetchTarball, findRelease, type Release } from "./registry.ts";
import { unpack } from "./unpack.ts";

export interface StageRequest {
	home: PackageHome;
	source: PackageSource;
	features: FeatureChoice;
	env: Env;
	signal?: AbortSignal | undefined;
	/** What is in the store already is not good enough. */
	isReplacing?: boolean;
	/** The exact version of a lock file entry, if that one is to be installed again. */
	exactly?: Pick<PackageEntry, "version" | "integrity" | "resolved">;
}

export interface Staged {
	name: string;
	entry: PackageEntry;
	/** Reported, but no reason to reject it. */
	warnings: string[];
}

/** If it throws, its leftovers are not in the lock file, and are cleaned up. */
export async function stage(request: StageRequest): Promise<Staged> {
	const { home, source } = request;
	if (source.kind === "path") return stageLink(request, source.path);
	const { folder, directory } = newFolder(home, fallbackName(source));
	const origin = await fetchInto(request, directory);
	const manifest = manifestOf(join(directory, "package"));
	const name = manifest.name ?? fallbackName(source);
	if (source.kind === "npm" && name !== source.name)
		throw new PackageError(
			`The archive of ${source.name} contains another package: ${JSON.stringify(name)}.`,
		);
	const staged = describe(request, manifest, name, join(directory, "package"));
	await installDependencies({ ...request, name, dependencies: manifest.dependencies, directory });
	const entry = settle(home, name, { ...staged.entry, folder, ...origin }, request.isReplacing === true);
	return { ...staged, entry };
}

type Fetched = Pick<PackageEntry, "resolved" | "integrity"> & { version?: string };

async function fetchInto(request: StageRequest, directory: string): Promise<Fetched> {
	const { source, exactly, env, signal } = request;
	if (source.kind === "git") {
		const asked = exactly?.resolved === undefined ? source : { ...source, ref: exactly.resolved };
		return { resolved: await fetchRepository(asked, directory, { env, signal }) };
	}
	if (source.kind !== "npm") throw new PackageError("A path is linked, not fetched.");
	const release = await findRelease(source.name, exactly?.version ?? source.range, { env, signal });
	checkSame(release, exactly);
	const bytes = await fetchTarball(release, { env, signal });
	await unpack(`${release.name}@${release.version}`, bytes, directory);
	return { version: release.version, resolved: release.tarball, integrity: release.integrity };
}

function checkSame({ name, version, integrity }: Release, exactly: StageRequest["exactly"]): void {
	if (exactly?.integrity === undefined || exactly.integrity === integrity) return;
	throw new PackageError(
		`${name}@${version} does not match the lock file: its checksum is ${integrity}, not ${exactly.integrity}.`,
	);
}

/** Used in place, and never changed. */
function stageLink(request: StageRequest, path: string): Staged {
	const info = statSync(path, { throwIfNoEntry: false });
	if (!info) throw new PackageError(`${path} does not exist.`);
	const place = { path: sharedPath(request.home, path) };
	if (!info.isDirectory()) {
		const name = basename(path).replace(/\.\w+$/, "");
		refuseName(name);
		const entry = { source: place.path, version: "0.0.0", ...place, enabled: true, enabledFeatures: null };
		return { name, entry, warnings: [] };
	}
	const manifest = manifestOf(path);
	const staged = describe(request, manifest, manifest.name ?? fallbackName(request.source), path);
	return { ...staged, entry: { ...staged.entry, source: place.path, ...place } };
}

/** The lock file of a project is shared, so the path is relative to it. */
function sharedPath({ scope, directory }: PackageHome, path: string): string {
	if (scope === "user") return path;
	const way = relative(directory, path);
	return isAbsolute(way) || way.startsWith("..") ? way : `./${way}`;
}

function manifestOf(root: string): Manifest {
	const read = readManifest(root);
	if (!read.ok) throw new PackageError(`Invalid package: ${read.reason}.`);
	return read.manifest;
}

function describe(
	{ source, features }: StageRequest,
	manifest: Manifest,
	name: string,
	root: string,
): Staged {
	refuseName(name);
	const enabledFeatures = chooseFeatures(name, manifest, features);
	const { resources, problems } = contentsOf(root, manifest, { features: [...manifest.features.keys()] });
	const isEmpty = resourceKinds.every((kind) => resources[kind].length === 0);
	const out = problems.find(({ leadsOut }) => leadsOut);
	if (out && isEmpty) throw new PackageError(`${name} was rejected: ${out.kind}: ${out.message}.`);
	const warnings = problems.map(
		({ kind, message, leadsOut }) => `${name}: ${kind} ${message}${leadsOut ? " and was left out" : ""}.`,
	);
	if (isEmpty)
		warnings.push(`${name} has nothing Tau can use: no extensions, skills, prompts, themes or commands.`);
	if (manifest.installScripts.length > 0)
		warnings.push(
			`${name} wants to run scripts (${manifest.installScripts.join(", ")}); Tau does not run them.`,
		);
	const version = manifest.version ?? "0.0.0";
	return { name, entry: { source: sourceText(source), version, enabled: true, enabledFeatures }, warnings };
}

function refuseName(name: string): void {
	const problem = nameProblem(name);
	if (problem !== undefined) throw new PackageError(problem);
}

/** Returns the list to store; `null` for the package's defaults. */
export function chooseFeatures(name: string, { features }: Manifest, choice: FeatureChoice): string[] | null {
	if (choice === undefined) return null;
	const known = [...features.keys()];
	if (choice === "*") return known.length === 0 ? null : known;
	const strange = choice.find((feature) => !features.has(feature));
	if (strange === undefined) return [...choice];
	const list = known.length === 0 ? "It has no features." : `Available: ${known.join(", ")}.`;
	throw new PackageError(`${name} has no feature ${strange}. ${list}`);
}
