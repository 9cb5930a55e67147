/** The package.json that is published: built files instead of sources, versions instead of workspace links. */
import type { Package, RootManifest } from "./workspace.ts";

export function publishedManifest({ folder, manifest }: Package, root: RootManifest): object {
	const { name, version, description, keywords = [], sideEffects = true } = manifest;
	const doors = Object.entries(manifest.exports).map(([door, source]) => [door, builtFiles(source)]);
	const dependencies = Object.entries(manifest.dependencies).map(([dependency, wanted]) => [
		dependency,
		wanted.startsWith("workspace:") ? root.version : wanted,
	]);
	return {
		name,
		version,
		description,
		keywords,
		license: root.license,
		repository: { ...root.repository, directory: `packages/${folder}` },
		type: "module",
		sideEffects,
		engines: { bun: `>=${root.dependencies.bun}` },
		files: ["dist"],
		exports: { ...Object.fromEntries(doors), "./package.json": "./package.json" },
		dependencies: Object.fromEntries(dependencies),
		publishConfig: { access: "public" },
	};
}

function builtFiles(source: string): { types: string; default: string } {
	const path = source.replace(/^\.\/src\//, "").replace(/\.ts$/, "");
	return { types: `./dist/types/${path}.d.ts`, default: `./dist/${path}.js` };
}
