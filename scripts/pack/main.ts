/** Packs the packages that others can build on: `dist/packages/<name>` and its `.tgz`, or below `--outdir DIR`. */
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { copyDeclarations, emitDeclarations, type Declarations } from "./declarations.ts";
import { buildJavaScript } from "./javascript.ts";
import { publishedManifest } from "./manifest.ts";
import { tarball } from "../release/npm.ts";
import { readPublished, readRoot, root, type Package, type RootManifest } from "./workspace.ts";

const usual = join(root, "dist/packages");
const { values } = parseArgs({ options: { outdir: { type: "string" } } });
const outdir = resolve(values.outdir ?? usual);

async function pack(one: Package, rootManifest: RootManifest, declarations: Declarations): Promise<string> {
	const target = join(outdir, one.folder);
	await mkdir(join(target, "dist"), { recursive: true });
	await Promise.all([
		buildJavaScript(one, join(target, "dist")),
		copyDeclarations(one, declarations, join(target, "dist/types")),
	]);
	await Bun.write(
		join(target, "package.json"),
		`${JSON.stringify(publishedManifest(one, rootManifest), undefined, "\t")}\n`,
	);
	await copyFile(join(root, "packages", one.folder, "README.md"), join(target, "README.md"));
	await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
	return tarball(target, outdir);
}

/** Only the usual place is ours to empty. */
async function prepare(): Promise<void> {
	if (outdir === usual) await rm(usual, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	if ((await readdir(outdir)).length > 0) throw new Error(`${outdir} is not empty: name another directory`);
}

await prepare();
const [rootManifest, packages] = await Promise.all([readRoot(), readPublished()]);
await using declarations = await emitDeclarations(packages);
for (const one of packages) process.stdout.write(`${await pack(one, rootManifest, declarations)}\n`);
