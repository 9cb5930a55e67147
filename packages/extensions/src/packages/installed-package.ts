/** An installed package, as it applies to one directory: where it is, whether it is enabled, and what is used of it. */
import { contentsOf, contentsOfFile, type Contents, type Filters } from "./contents.ts";
import { readManifest, type Manifest } from "./manifest.ts";
import { infoOf } from "@tau/resources/discovery";

export interface InstalledPackage {
	name: string;
	version: string;
	/** As in a lock file or in settings. */
	source: string;
	/** The program that installed it, as named in `discovery.disabled`. */
	from: "packages" | "pi" | "omp" | "claude";
	scope: "user" | "project";
	/** A directory, or a single file. */
	root: string;
	/** Why it is not used. */
	off?: string;
	features: readonly string[] | null;
	filters: readonly Filters[];
}

export interface Opened {
	/** Absent for a single file. */
	manifest?: Manifest;
	contents: Contents;
	/** Why nothing of it can be used. */
	problem?: string;
}

export function openPackage({ root, name, features, filters }: InstalledPackage): Opened {
	const info = infoOf(root);
	if (!info)
		return {
			contents: empty(),
			problem: "its files are missing; run tau plugin doctor --fix to restore them",
		};
	if (!info.isDirectory()) return { contents: contentsOfFile(root) };
	const read = readManifest(root);
	if (!read.ok) return { contents: empty(), problem: read.reason };
	const { manifest } = read;
	const named =
		manifest.base.namespace === undefined ? { ...manifest.base } : { ...manifest.base, namespace: name };
	return { manifest, contents: contentsOf(root, { ...manifest, base: named }, { features, filters }) };
}

function empty(): Contents {
	const { resources } = contentsOfFile("");
	return { resources: { ...resources, extensions: [] }, problems: [] };
}
