/** The published packages: packed, installed into an empty project, and used from there. */
// takes 35 s
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFile, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playModel, testModel } from "@tau/ai/testing";

import { root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

// Packing is five builds, and an installation follows.
setDefaultTimeout(300_000);

const names = ["agent", "ai", "sys", "tui", "utils"];
let packed = "";
let project = "";

async function run(command: string[], cwd: string): Promise<string> {
	const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}:\n${out}${err}`);
	return out;
}

beforeAll(async () => {
	packed = await mkdtemp(join(tmpdir(), "tau-packed-"));
	project = await realpath(await mkdtemp(join(tmpdir(), "tau-project-")));
	const output = await run([process.execPath, "scripts/pack/main.ts", "--outdir", packed], root);
	const tarballs = output.trim().split("\n");
	const dependencies = Object.fromEntries(
		names.map((name) => [`@tau/${name}`, tarballs.find((path) => path.includes(`/tau-${name}-`)) ?? ""]),
	);
	// Without the override they would be resolved from the registry, which does not have this version.
	const manifest = { name: "project", type: "module", private: true, dependencies, overrides: dependencies };
	await Bun.write(join(project, "package.json"), JSON.stringify(manifest));
	await run([process.execPath, "install", "--prefer-offline", "--ignore-scripts"], project);
});

afterAll(async () => {
	await rm(packed, { recursive: true, force: true });
	await rm(project, { recursive: true, force: true });
});

test.each(names)(
	"@tau/%s contains a license, a README, JavaScript and declarations, and no sources",
	async (name) => {
		const folder = join(project, "node_modules/@tau", name);
		const files = await readdir(folder, { recursive: true });
		expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/index.js"]));
		expect(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([]);
		const manifest = await Bun.file(join(folder, "package.json")).json();
		const { version } = await Bun.file(join(root, "package.json")).json();
		expect(manifest).toMatchObject({
			name: `@tau/${name}`,
			version,
			license: "MIT",
			type: "module",
			files: ["dist"],
		});
		expect(manifest.private).toBeUndefined();
		expect(manifest.repository.directory).toBe(`packages/${name}`);
		expect(manifest.engines.bun).toMatch(/^>=\d/);
		for (const { types, default: code } of Object.values<Record<string, string>>(manifest.exports)) {
			if (types && code) expect(files).toEqual(expect.arrayContaining([types.slice(2), code.slice(2)]));
		}
		expect(JSON.stringify(manifest)).not.toContain("workspace:");
	},
);

test("the examples of their READMEs type-check against the published declarations", async () => {
	for (const name of names) {
		const readme = await Bun.file(join(project, "node_modules/@tau", name, "README.md")).text();
		const [, example = ""] = /```ts\n([^]*?)```/.exec(readme) ?? [];
		expect(example).toContain(`from "@tau/${name}"`);
		await Bun.write(join(project, `${name}.example.ts`), example);
	}
	const compilerOptions = {
		target: "ESNext",
		lib: ["ESNext"],
		module: "NodeNext",
		strict: true,
		noEmit: true,
		// The declarations themselves are checked too.
		skipLibCheck: false,
		types: ["bun"],
		typeRoots: [join(root, "node_modules/@types")],
	};
	await Bun.write(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
	expect(
		await run([process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", project], project),
	).toBe("");
});

async function runAgent(runtime: string): Promise<void> {
	await using played = await playModel({
		steps: [
			"Hello there.",
			{ answer: { blocks: [{ toolCall: { name: "add", arguments: { a: 2, b: 3 } } }] } },
			"It is 5.",
		],
	});
	await copyFile(join(import.meta.dir, "fixtures/agent.mjs"), join(project, "agent.mjs"));
	const model = testModel({ api: "anthropic-messages", baseUrl: played.anthropicUrl });
	const result = JSON.parse(await run([runtime, "agent.mjs", JSON.stringify(model)], project));
	expect(result).toMatchObject({ text: "Hello there.", hasModels: true });
	expect(result.error).toBeUndefined();
	expect(result.messages.map(([role]: [string]) => role)).toEqual([
		"user",
		"assistant",
		"toolResult",
		"assistant",
	]);
	expect([result.messages[2][1], result.messages[3][1]]).toEqual(["5", "It is 5."]);
}

test("a model answers and an agent calls a tool, under Bun", () => runAgent(process.execPath));

needs("node>=24")("a model answers and an agent calls a tool, under Node", () => runAgent("node"));

test("Markdown is laid out and a command runs, under Bun", async () => {
	await copyFile(join(import.meta.dir, "fixtures/screen.mjs"), join(project, "screen.mjs"));
	const result = JSON.parse(await run([process.execPath, "screen.mjs"], project));
	expect(result).toEqual({ rows: ["Title", "• one", "• two"], width: 2, output: "done\n" });
});
