/** Emits the type declarations of all packages at once, and copies those that the exports of one reach. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { root, type Package } from "./workspace.ts";

const compiler = join(root, "node_modules/typescript/bin/tsc");
const importPath = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)"(\.{1,2}\/[^"]+)\.ts"/g;

/** A directory that lies as `packages/` does, until it is disposed of. */
export interface Declarations extends AsyncDisposable {
	readonly directory: string;
}

/** The packages import each other: the compiler reads what they share once. */
export async function emitDeclarations(packages: readonly Package[]): Promise<Declarations> {
	const directory = await mkdtemp(join(tmpdir(), "tau-types-"));
	const declarations: Declarations = {
		directory,
		[Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
	};
	try {
		await emit(packages, directory);
		return declarations;
	} catch (error) {
		await declarations[Symbol.asyncDispose]();
		throw error;
	}
}

function entriesOf({ folder, manifest }: Package): string[] {
	return Object.values(manifest.exports).map((source) => join(root, "packages", folder, source));
}

function pathsOf({ folder, manifest }: Package): [name: string, sources: string[]][] {
	return Object.entries(manifest.exports).map(([exported, source]) => [
		join(manifest.name, exported),
		[join(root, "packages", folder, source)],
	]);
}

export async function copyDeclarations(
	one: Package,
	{ directory }: Declarations,
	outdir: string,
): Promise<void> {
	const emitted = join(directory, one.folder, "src");
	const sources = join(root, "packages", one.folder, "src");
	const pending = entriesOf(one).map((entry) => declarationOf(join(emitted, relative(sources, entry))));
	const copied = new Set<string>();
	for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
		if (copied.has(file)) continue;
		copied.add(file);
		const text = await Bun.file(file).text();
		for (const [, , path = ""] of text.matchAll(importPath))
			pending.push(`${join(dirname(file), path)}.d.ts`);
		// Tools look for the declarations of a `.js`, which is what is there.
		await Bun.write(join(outdir, relative(emitted, file)), text.replaceAll(importPath, '$1"$2.js"'));
	}
}

async function emit(packages: readonly Package[], outDir: string): Promise<void> {
	const ambient = await Array.fromAsync(
		new Bun.Glob("packages/*/src/**/*.d.ts").scan({ cwd: root, absolute: true }),
	);
	const config = {
		extends: join(root, "tsconfig.json"),
		compilerOptions: {
			noEmit: false,
			declaration: true,
			emitDeclarationOnly: true,
			rootDir: join(root, "packages"),
			outDir,
			typeRoots: [join(root, "node_modules/@types")],
			// What is found through node_modules first is a library, without declarations of its own: the compiler reads the
			// files side by side, so that some were missing on a busy machine.
			paths: Object.fromEntries(packages.flatMap(pathsOf)),
		},
		files: [...packages.flatMap(entriesOf), ...ambient],
		include: [],
	};
	const file = join(outDir, "tsconfig.json");
	await mkdir(outDir, { recursive: true });
	await Bun.write(file, JSON.stringify(config));
	const child = Bun.spawn([process.execPath, compiler, "-p", file], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const [output, code] = await Promise.all([child.stdout.text(), child.exited]);
	if (code !== 0) throw new Error(`tsc failed:\n${output}`);
}

function declarationOf(source: string): string {
	return source.replace(/\.ts$/, ".d.ts");
}
