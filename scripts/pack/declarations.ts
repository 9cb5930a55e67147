/** Emits the type declarations that the exports of a package reach. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

import { root, type Package } from "./workspace.ts";

const compiler = join(root, "node_modules/typescript/bin/tsc");
const importPath = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)"(\.{1,2}\/[^"]+)\.ts"/g;

export async function buildDeclarations({ folder, manifest }: Package, outdir: string): Promise<void> {
	const sources = join(root, "packages", folder, "src");
	const entries = Object.values(manifest.exports).map((source) => join(root, "packages", folder, source));
	const emitted = await mkdtemp(join(tmpdir(), "tau-types-"));
	try {
		await emit(entries, sources, emitted);
		const pending = entries.map((entry) => declarationOf(join(emitted, relative(sources, entry))));
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
	} finally {
		await rm(emitted, { recursive: true });
	}
}

async function emit(entries: readonly string[], sources: string, outDir: string): Promise<void> {
	const ambient = await Array.fromAsync(
		new Bun.Glob("packages/*/src/**/*.d.ts").scan({ cwd: root, absolute: true }),
	);
	const config = {
		extends: join(root, "tsconfig.json"),
		compilerOptions: {
			noEmit: false,
			declaration: true,
			emitDeclarationOnly: true,
			rootDir: sources,
			outDir,
			typeRoots: [join(root, "node_modules/@types")],
		},
		files: [...entries, ...ambient],
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
