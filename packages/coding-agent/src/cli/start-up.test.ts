/** Every start loads little: the rest is loaded on demand. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const transpiler = new Bun.Transpiler({ loader: "ts" });

/** Files and packages that importing a file loads statically. */
async function loadedBy(entry: string): Promise<string[]> {
	const loaded = new Set<string>();
	const open = [entry];
	for (let path = open.pop(); path !== undefined; path = open.pop()) {
		if (loaded.has(path)) continue;
		loaded.add(path);
		if (!path.endsWith(".ts")) continue;
		const imports = transpiler.scanImports(await Bun.file(path).text());
		const needed = imports.filter(
			({ kind, path: to }) => kind === "import-statement" && !to.startsWith("node:"),
		);
		for (const { path: to } of needed) open.push(Bun.resolveSync(to, join(path, "..")));
	}
	return [...loaded];
}

test("parsing the command line loads no schema, no settings and of other packages only the utilities", async () => {
	const loaded = await loadedBy(join(import.meta.dir, "run.ts"));
	const foreign = loaded.filter(
		(path) => !path.includes("/packages/utils/") && !path.startsWith(import.meta.dir),
	);
	expect(foreign).toEqual([]);
	expect(loaded.length).toBeGreaterThan(20);
});
