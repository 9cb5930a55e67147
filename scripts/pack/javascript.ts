/** Bundles the sources of a package to JavaScript: one file for each export, and chunks that they share. */
import { copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BunPlugin } from "bun";

import { root, type Package } from "./workspace.ts";

export async function buildJavaScript({ folder, manifest }: Package, outdir: string): Promise<void> {
	const sources = join(root, "packages", folder);
	const result = await Bun.build({
		entrypoints: Object.values(manifest.exports).map((source) => join(sources, source)),
		root: join(sources, "src"),
		outdir,
		// Node's target lowers syntax that only some runtimes have; what is Bun's own stays as it is.
		target: "node",
		format: "esm",
		splitting: true,
		packages: "external",
		plugins: [filesBeside(outdir)],
		throw: false,
	});
	if (!result.success) throw new Error(`${manifest.name} does not build:\n${result.logs.join("\n")}`);
}

/** Data that is imported as a file lies beside the JavaScript, and is found from there wherever it is installed. */
function filesBeside(outdir: string): BunPlugin {
	return {
		name: "files beside",
		setup({ onLoad }) {
			onLoad({ filter: /\.jsonl$/ }, async ({ path }) => {
				const name = basename(path);
				await copyFile(path, join(outdir, name));
				const contents = `
					import { fileURLToPath } from "node:url";
					export default fileURLToPath(new URL(${JSON.stringify(`./${name}`)}, import.meta.url));`;
				return { loader: "js", contents };
			});
		},
	};
}
