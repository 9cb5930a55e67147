/** The extensions that ship with Tau use only what every extension can import. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";

/** Only for their types, which are what extensions are written against. */
const declarations = new Set(["@tau/extensions/api"]);
/** Their values are exported by `@tau/coding-agent`, or are packages that extensions can import. */
const packages = new Set(["@tau/tui", "@tau/utils", "@tau/agent", "@tau/ai", "@tau/session/export"]);

const files = [...new Bun.Glob("mu/**/*.ts").scanSync(import.meta.dir)].filter(
	(file) => !file.endsWith(".test.ts"),
);

test("mu imports nothing but the public API", () => {
	expect(files.length).toBeGreaterThan(10);
	for (const file of files) {
		const source = readFileSync(join(import.meta.dir, file), "utf8");
		for (const [, from = ""] of source.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
			const path = from.startsWith(".") ? normalize(join(file, "..", from)) : from;
			const isOurs = path.startsWith("mu/") || packages.has(path) || declarations.has(path);
			expect(isOurs ? "" : `${file} imports ${from}`).toBe("");
		}
	}
});

test("its runtime imports are its own files, or packages of Tau", () => {
	const transpiler = new Bun.Transpiler({ loader: "ts" });
	for (const file of files) {
		// Type-only imports are gone here.
		for (const { path } of transpiler.scanImports(readFileSync(join(import.meta.dir, file), "utf8"))) {
			const inside = path.startsWith(".") ? normalize(join(file, "..", path)) : path;
			expect(inside).toMatch(/^(mu\/|@tau\/(tui|utils|session\/export)$)/);
		}
	}
});
