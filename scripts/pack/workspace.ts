/** Reads the manifests of the workspace, and says which packages are published. */
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");

/** What others build on. The packages that these depend on are published with them. */
const published = ["ai", "agent", "tui"];

export interface Manifest {
	name: string;
	version: string;
	description: string;
	/** Sources by the path under which they are imported: `"./testing": "./src/testing/index.ts"`. */
	exports: Record<string, string>;
	sideEffects?: boolean;
	keywords?: string[];
	dependencies: Record<string, string>;
}

export interface RootManifest {
	version: string;
	license: string;
	repository: { type: string; url: string };
	dependencies: { bun: string };
}

export interface Package {
	/** Its folder under `packages/`. */
	folder: string;
	manifest: Manifest;
}

export async function readRoot(): Promise<RootManifest> {
	return Bun.file(join(root, "package.json")).json();
}

/** Every package before those that depend on it. */
export async function readPublished(): Promise<Package[]> {
	const packages = new Map<string, Package>();
	const visit = async (folder: string): Promise<void> => {
		if (packages.has(folder)) return;
		const manifest: Manifest = await Bun.file(join(root, "packages", folder, "package.json")).json();
		for (const dependency of Object.keys(manifest.dependencies)) {
			if (dependency.startsWith("@tau/")) await visit(dependency.slice("@tau/".length));
		}
		packages.set(folder, { folder, manifest });
	};
	for (const folder of published) await visit(folder);
	return [...packages.values()];
}
