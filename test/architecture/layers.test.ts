/** A forbidden import is caught: between packages, inside the application, and in a cycle. */
import { describe, expect, test } from "bun:test";
import { layers } from "./checks/layers.ts";
import { problemsIn, report, type Files } from "./fixture.ts";
import { repository } from "./tree.ts";

function packagesNamed(...homes: string[]): Files {
	const manifest = (home: string): string =>
		JSON.stringify({
			name: `@tau/${home}`,
			exports: { ".": "./src/index.ts", ...(home === "ai" ? { "./testing": "./src/testing/index.ts" } : {}) },
		});
	return Object.fromEntries(homes.map((home) => [`packages/${home}/package.json`, manifest(home)]));
}

const app = "packages/coding-agent/src";

/** The one file that is wrong (or right), what it imports, and the expected message. */
const holes: [promise: string, path: string, source: string, said: string][] = [
	["an arrow against the stream", "packages/utils/src/a.ts", `import "@tau/ai";`, "utils may not import ai"],
	[
		"a multi-line import type",
		"packages/ai/src/a.ts",
		"\nimport type {\n\tA,\n} from '@tau/sys';",
		"ai may not import sys",
	],
	[
		"a lazy import",
		"packages/relay/src/a.ts",
		`await import("@tau/agent");`,
		"relay may not import agent, only: wire, utils",
	],
	["a re-export", "packages/relay/src/a.ts", `export * from "@tau/sys";`, "relay may not import sys"],
	[
		"a path that is not an entry point",
		`${app}/a.ts`,
		`import "@tau/ai/src/types.ts";`,
		"is not an entry point of @tau/ai",
	],
	[
		"an entry point that does not exist",
		"test/a.test.ts",
		`import "@tau/sys/pty";`,
		"is not an entry point of @tau/sys",
	],
	[
		"a value of the terminal in the extension API",
		"packages/extensions/src/a.ts",
		`import { Text } from "@tau/tui";`,
		"extensions may not import tui",
	],
	[
		"a file of another package",
		"packages/ai/src/a.ts",
		`import "../../utils/src/b.ts";`,
		"imports a file of another package",
	],
	[
		"a file of a package, from outside",
		"bench/a.ts",
		`import "../packages/ai/src/b.ts";`,
		"imports a file of another package",
	],
	[
		"a package that imports itself",
		"packages/ai/src/a.ts",
		`import "@tau/ai";`,
		"imports its own package by name",
	],
	[
		"the played model in the product",
		`${app}/a.ts`,
		`import "@tau/ai/testing";`,
		"for tests, bench and scripts only",
	],
	[
		"the same by a relative path",
		"packages/ai/src/a.ts",
		`import "./testing/b.ts";`,
		"imports a test helper into product code",
	],
	[
		"a test helper from a nested folder",
		"packages/ai/src/auth/a.ts",
		`import "./aws/testing/b.ts";`,
		"imports a test helper into product code",
	],
	[
		"a mode that imports a mode",
		`${app}/modes/print/a.ts`,
		`import "../acp/b.ts";`,
		"mode print imports mode acp",
	],
	[
		"a session command that imports a client",
		"packages/session-commands/src/a.ts",
		`import "@tau/interactive";`,
		"session-commands may not import interactive",
	],
	[
		"a session command that draws",
		"packages/session-commands/src/rows/a.ts",
		`import type { Theme } from "@tau/tui";`,
		"session-commands may not import tui",
	],
	[
		"arguments read by a mode",
		`${app}/modes/print/a.ts`,
		"f(process.argv[2]);",
		"only cli/ reads process.argv",
	],
	["arguments read by a package", "packages/sys/src/a.ts", "f(Bun.argv);", "only cli/ reads Bun.argv"],
];

const targets = [
	"packages/utils/src/b.ts",
	"packages/ai/src/b.ts",
	"packages/ai/src/testing/b.ts",
	"packages/ai/src/auth/aws/testing/b.ts",
	`${app}/cli/b.ts`,
	`${app}/modes/print/b.ts`,
	`${app}/modes/acp/b.ts`,
];

function fixture(files: Files): Files {
	const all = packagesNamed(
		"utils",
		"sys",
		"tui",
		"ai",
		"agent",
		"wire",
		"session",
		"tools",
		"extensions",
		"compat",
		"session-commands",
		"interactive",
		"coding-agent",
		"relay",
		"web",
	);
	return { ...all, ...Object.fromEntries(targets.map((path) => [path, "export const b = 1;\n"])), ...files };
}

describe("layers", () => {
	test("all imports of the repository are allowed", async () => {
		expect(await report(layers, repository)).toBe("");
	});

	test.each(holes)("%s is caught", async (_promise, path, source, message) => {
		const line = source.startsWith("\n") ? 2 : 1;
		const problems = await problemsIn(layers, fixture({ [path]: source }));
		expect(problems).toEqual([expect.stringContaining(`${path}:${line} `)]);
		expect(problems[0]).toContain(message);
	});

	test("imports along the arrows and through entry points pass", async () => {
		const files = fixture({
			"packages/tui/src/a.ts": `import "@tau/sys"; import "@tau/utils"; import "zod"; import "node:fs";`,
			"packages/agent/src/a.test.ts": `import "@tau/ai/testing"; import "../../../test/support/needs.ts";`,
			"packages/ai/src/a.test.ts": `import "./testing/b.ts"; import "./auth/aws/testing/b.ts";`,
			"packages/ai/src/auth/aws/testing/c.ts": `import "./b.ts"; import "../../../testing/b.ts";`,
			"packages/ai/src/c.ts": `// import "@tau/agent";\nconst a = 'import "@tau/agent"';`,
			"packages/ai/examples/a.ts": `import "@tau/ai";`,
			"test/support/needs.ts": "",
			"bench/a.ts": `import "@tau/coding-agent"; import "@tau/ai/testing"; f(process.argv);`,
			[`${app}/cli/a.ts`]: `import "../modes/print/b.ts"; import "../modes/acp/b.ts"; f(process.argv);`,
			[`${app}/modes/changelog.ts`]: `await import("../../../../CHANGELOG.md", { with: { type: "text" } });`,
			"CHANGELOG.md": "",
			[`${app}/modes/index.ts`]: `export * from "./print/b.ts"; export * from "./rpc/b.ts";`,
			[`${app}/modes/print/a.ts`]: `import "./b.ts"; import "@tau/tui"; import "../../session/a.ts";`,
			[`${app}/modes/print/c.ts`]: `import "../frames.ts";`,
			[`${app}/modes/frames.ts`]: `import "../session/a.ts";`,
			[`${app}/session/a.ts`]: `import "@tau/agent";`,
		});
		expect(await problemsIn(layers, files)).toEqual([]);
	});

	test("an import without its file extension is caught, and the file is named", async () => {
		const problems = await problemsIn(layers, fixture({ "packages/ai/src/a.ts": `import "./b";` }));
		expect(problems).toEqual([
			expect.stringContaining("omits the file extension: write packages/ai/src/b.ts"),
		]);
	});

	test("a package without arrows is caught", async () => {
		const problems = await problemsIn(layers, packagesNamed("utils", "shed"));
		expect(problems).toEqual([expect.stringMatching(/^packages\/shed\/package.json has no arrows/)]);
	});

	test("a cycle of imports is caught where it closes, also when it is lazy", async () => {
		const problems = await problemsIn(
			layers,
			fixture({
				"packages/sys/src/a.ts": `import "./c.ts";`,
				"packages/sys/src/c.ts": `\nexport * from "./d.ts";`,
				"packages/sys/src/d.ts": `\n\nawait import("./a.ts");`,
			}),
		);
		const circle = ["a", "c", "d", "a"].map((name) => `packages/sys/src/${name}.ts`).join(" -> ");
		expect(problems).toEqual([
			expect.stringContaining(`packages/sys/src/d.ts:3 closes a circle of imports: ${circle}`),
		]);
	});

	test("a file that imports itself is a cycle", async () => {
		const problems = await problemsIn(layers, fixture({ "packages/sys/src/a.ts": `import "./a.ts";` }));
		expect(problems).toEqual([expect.stringContaining("closes a circle of imports")]);
	});

	test("two folders of a package that import each other are caught, in both directions", async () => {
		const files = fixture({
			"packages/sys/src/x/a.ts": `import "../y/c.ts";`,
			"packages/sys/src/y/c.ts": "export {};",
			"packages/sys/src/y/d.ts": `\nimport { a } from "../x/b.ts";`,
			"packages/sys/src/x/b.ts": "export const a = 1;",
		});
		const cycle = "closes a cycle of folders";
		expect(await problemsIn(layers, files)).toEqual([
			expect.stringContaining(`packages/sys/src/x/a.ts:1 "../y/c.ts" ${cycle}`),
			expect.stringContaining(`packages/sys/src/y/d.ts:2 "../x/b.ts" ${cycle}`),
		]);
	});

	test("a knot of types that is too large to read is caught, and a smaller one is not", async () => {
		const ring = (count: number): Files =>
			Object.fromEntries(
				Array.from({ length: count }, (_, at) => [
					`packages/sys/src/a${at}.ts`,
					`import type { A } from "./a${(at + 1) % count}.ts"; export type B = A;`,
				]),
			);
		expect(await problemsIn(layers, fixture(ring(20)))).toEqual([]);
		expect(await problemsIn(layers, fixture(ring(21)))).toEqual([
			expect.stringContaining("packages/sys/src/a0.ts is in a knot of 21 files"),
		]);
	});

	test("folders may use each other's types", async () => {
		const files = fixture({
			"packages/sys/src/x/a.ts": `import "../y/c.ts";`,
			"packages/sys/src/y/c.ts": `import type { A } from "../x/b.ts";`,
			"packages/sys/src/x/b.ts": "export type A = 1;",
		});
		expect(await problemsIn(layers, files)).toEqual([]);
	});

	test("types may know each other, and two paths to one file are not a cycle", async () => {
		const files = fixture({
			"packages/sys/src/a.ts": `import "./c.ts"; import "./d.ts";`,
			"packages/sys/src/c.ts": `import "./d.ts"; import type { A } from "./a.ts";`,
			"packages/sys/src/d.ts": `type A = typeof import("./a.ts");`,
		});
		expect(await problemsIn(layers, files)).toEqual([]);
	});
});
