/** What is used of a package: its manifest, the conventional directories, globs, filters and features. */
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join, relative } from "node:path";

import fc from "fast-check";

import { playRegistry } from "../../../../test/support/registry.ts";
import { contentsOf, type Filters } from "./contents.ts";
import { readManifest, resourceKinds } from "./manifest.ts";
import { workshopWith } from "./testing/workshop.ts";

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

const skill = "---\nname: x\ndescription: y\n---\n";

interface Taken {
	taken: Record<string, string[]>;
	problems: string[];
	format: string;
}

function take(
	shop: Workshop,
	manifest: Record<string, unknown>,
	files: readonly string[],
	options: { features?: string[]; filters?: Filters[] } = {},
): Taken {
	const root = shop.put("pkg", {
		"package.json": JSON.stringify(manifest),
		...Object.fromEntries(files.map((file) => [file, skill])),
	});
	const read = readManifest(root);
	if (!read.ok) throw new Error(read.reason);
	const choice = { features: options.features ?? null, filters: options.filters ?? [] };
	const { resources, problems } = contentsOf(root, read.manifest, choice);
	const found = resourceKinds
		.map((kind): [string, string[]] => [kind, resources[kind].map(({ path }) => relative(root, path))])
		.filter(([, paths]) => paths.length > 0);
	return {
		taken: Object.fromEntries(found),
		problems: problems.map(({ kind, message }) => `${kind}: ${message}`),
		format: read.manifest.format,
	};
}

test("without a manifest the conventional directories are used", () => {
	using shop = openWorkshop();
	const files = [
		"extensions/one.ts",
		"extensions/two/index.ts",
		"extensions/one.test.ts",
		"skills/a/SKILL.md",
		"skills/b/deep/SKILL.md",
		"skills/single.md",
		"skills/README.md",
		"prompts/p.md",
		"themes/t.json",
		"themes/readme.txt",
		"other/x.ts",
	];
	expect(take(shop, { name: "p" }, files)).toEqual({
		format: "plain",
		problems: [],
		taken: {
			extensions: ["extensions/one.ts", "extensions/two/index.ts"],
			skills: ["skills/single.md", "skills/a/SKILL.md", "skills/b/deep/SKILL.md"],
			prompts: ["prompts/p.md"],
			themes: ["themes/t.json"],
		},
	});
});

test("a manifest names paths, globs and exceptions, and nothing else is used", () => {
	using shop = openWorkshop();
	const pi = {
		extensions: ["./src/*.ts", "!src/legacy.ts"],
		skills: ["resources/*"],
		prompts: ["node_modules/dep/prompts"],
		themes: ["absent.json"],
	};
	const files = [
		"src/a.ts",
		"src/legacy.ts",
		"src/deep/b.ts",
		"resources/one/SKILL.md",
		"prompts/not-named.md",
		"node_modules/dep/prompts/p.md",
	];
	expect(take(shop, { pi }, files)).toEqual({
		format: "pi",
		problems: ["themes: names absent.json, which does not exist"],
		taken: {
			extensions: ["src/a.ts"],
			skills: ["resources/one/SKILL.md"],
			prompts: ["node_modules/dep/prompts/p.md"],
		},
	});
});

test("of several manifests Tau's own is used, then omp's, then pi's", () => {
	using shop = openWorkshop();
	const files = ["t.ts", "o.ts", "p.ts"];
	const of = (name: string) => ({ extensions: [name] });
	expect(take(shop, { pi: of("p.ts"), omp: of("o.ts"), tau: of("t.ts") }, files).taken).toEqual({
		extensions: ["t.ts"],
	});
	expect(take(shop, { pi: of("p.ts"), omp: of("o.ts") }, files).taken).toEqual({ extensions: ["o.ts"] });
});

test("features add contents, by default or when they are chosen", () => {
	using shop = openWorkshop();
	const omp = {
		extensions: ["base.ts"],
		tools: "tools.ts",
		features: { on: { default: true, extensions: ["on.ts"] }, off: { commands: ["off.md"] } },
	};
	const files = ["base.ts", "on.ts", "off.md", "tools.ts"];
	const base = { extensions: ["base.ts"], tools: ["tools.ts"] };
	expect(take(shop, { omp }, files).taken).toEqual({ ...base, extensions: ["base.ts", "on.ts"] });
	expect(take(shop, { omp }, files, { features: [] }).taken).toEqual(base);
	expect(take(shop, { omp }, files, { features: ["off"] }).taken).toEqual({ ...base, commands: ["off.md"] });
});

test.each<[Filters, string[]]>([
	[{}, ["e/a.ts", "e/b.ts", "e/c/index.ts"]],
	[{ extensions: [] }, []],
	[{ extensions: ["e/*.ts", "!e/b.ts"] }, ["e/a.ts"]],
	[{ extensions: ["!e/b.ts"] }, ["e/a.ts", "e/c/index.ts"]],
	[{ extensions: ["-e/a.ts"] }, ["e/b.ts", "e/c/index.ts"]],
	[{ extensions: ["./e/c"] }, ["e/c/index.ts"]],
	[{ extensions: ["e/a.ts", "+e/c"] }, ["e/a.ts", "e/c/index.ts"]],
	[{ extensions: ["../other.ts"] }, []],
])("the filter %j narrows what the package offers", (filter, left) => {
	using shop = openWorkshop();
	const files = ["e/a.ts", "e/b.ts", "e/c/index.ts"];
	const { taken } = take(shop, { pi: { extensions: ["e"] } }, files, { filters: [filter] });
	expect(taken.extensions ?? []).toEqual(left);
});

test("property: no filter selects what the package does not offer", () => {
	using shop = openWorkshop();
	const files = ["e/a.ts", "e/b.ts", "hidden/c.ts"];
	const pattern = fc.stringMatching(/^[!+-]?(?:\.\/)?(?:e|hidden|\*\*?|\.\.)(?:\/[abc*]{1,2}(?:\.ts)?)?$/);
	const offered = new Set(["e/a.ts", "e/b.ts"]);
	fc.assert(
		fc.property(fc.array(pattern, { maxLength: 4 }), (filter) => {
			const { taken } = take(shop, { pi: { extensions: ["e"] } }, files, {
				filters: [{ extensions: filter }],
			});
			return (taken.extensions ?? []).every((path) => offered.has(path));
		}),
		{ numRuns: 50 },
	);
});

test("a link in a package that leads out of it is not followed", () => {
	using shop = openWorkshop();
	shop.put("secret", { "SKILL.md": skill, "x.ts": "" });
	shop.put("pkg", { "skills/ok/SKILL.md": skill });
	symlinkSync(join(shop.base, "secret"), join(shop.base, "pkg/skills/evil"));
	symlinkSync(join(shop.base, "secret/x.ts"), join(shop.base, "pkg/x.ts"));
	const { taken, problems } = take(shop, { pi: { skills: ["skills"], extensions: ["x.ts"] } }, []);
	expect(taken).toEqual({ skills: ["skills/ok/SKILL.md"] });
	expect(problems).toEqual([
		'extensions: "x.ts" points outside the package',
		'skills: "skills" points outside the package',
	]);
});

test("a Claude Code plugin provides commands, agents, skills, hooks and servers", () => {
	using shop = openWorkshop();
	shop.put("pkg", {
		".claude-plugin/plugin.json": JSON.stringify({ name: "plug", commands: ["./more/x.md"], mcpServers: {} }),
		".mcp.json": "{}",
	});
	const files = [
		"commands/git/commit.md",
		"more/x.md",
		"agents/a.md",
		"skills/s/SKILL.md",
		"hooks/hooks.json",
	];
	expect(take(shop, { name: "p" }, files)).toEqual({
		format: "claude",
		problems: [],
		taken: {
			skills: ["skills/s/SKILL.md"],
			commands: ["more/x.md", "commands/git/commit.md"],
			agents: ["agents/a.md"],
			hooks: ["hooks/hooks.json"],
			mcp: [".claude-plugin/plugin.json", ".mcp.json"],
		},
	});
});

test("the plugins of a marketplace are features that can be left out", () => {
	using shop = openWorkshop();
	const plugins = [
		{ name: "one", source: "./one" },
		{ name: "two", source: "./two", skills: ["./extra"] },
		{ name: "far", source: { source: "github", repo: "a/b" } },
	];
	shop.put("pkg", {
		".claude-plugin/marketplace.json": JSON.stringify({
			name: "m",
			metadata: { pluginRoot: "./plugins" },
			plugins,
		}),
	});
	const files = [
		"plugins/one/commands/c.md",
		"plugins/two/extra/s/SKILL.md",
		"plugins/two/skills/t/SKILL.md",
	];
	const two = { skills: ["plugins/two/extra/s/SKILL.md", "plugins/two/skills/t/SKILL.md"] };
	expect(take(shop, {}, files).taken).toEqual({ ...two, commands: ["plugins/one/commands/c.md"] });
	expect(take(shop, {}, files, { features: ["two"] }).taken).toEqual(two);
});

test("a manifest that is not JSON is reported", () => {
	using shop = openWorkshop();
	const root = shop.put("pkg", { "package.json": "{" });
	expect(readManifest(root)).toEqual({
		ok: false,
		reason: expect.stringContaining("package.json: cannot read it"),
	});
});
