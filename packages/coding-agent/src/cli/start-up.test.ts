/** Every start loads little: the rest is loaded on demand. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";

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

/** Reports every schema of zod that is built, with the files that asked for it. */
const reportSchemas = `
	import { plugin } from "bun";
	plugin({ name: "report schemas", setup: ({ onLoad }) => onLoad({ filter: /zod.v4.core.core\\.js$/ }, async ({ path }) => {
		const text = await Bun.file(path).text();
		const begin = "function _(def) {";
		if (!text.includes(begin)) throw new Error("zod builds its schemas elsewhere now: adapt this test");
		return { loader: "js", contents: text.replace(begin, begin + 'process.stderr.write("schema built: " + new Error().stack);') };
	}) });
`;

test("a run whose model calls no tool builds no schema of zod, also with settings, models and trust of the user", async () => {
	await using played = await playModel({ steps: [], fallback: { answer: "hi" } });
	const home = realpathSync(mkdtempSync(join(tmpdir(), "tau-schemas-")));
	try {
		const agent = join(home, ".tau/agent");
		mkdirSync(agent, { recursive: true });
		writeFileSync(join(agent, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		writeFileSync(join(agent, "config.yml"), "compaction:\n  enabled: true\n");
		writeFileSync(join(agent, "trust.json"), JSON.stringify({ projects: { [home]: true } }));
		writeFileSync(join(home, "report.ts"), reportSchemas);
		const args = ["-p", "hello", "--model", "played/played-1"];
		await using run = Bun.spawn(
			[process.execPath, "--preload", join(home, "report.ts"), join(import.meta.dir, "main.ts"), ...args],
			{ cwd: home, env: { HOME: home, PATH: process.env.PATH }, stderr: "pipe", timeout: 60_000 },
		);
		const [output, errors] = await Promise.all([run.stdout.text(), run.stderr.text()]);
		expect(errors).not.toContain("schema built");
		expect(output).toBe("hi\n");
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
});
