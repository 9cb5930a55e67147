/** Which packages apply to a directory: Tau's own, those of settings, and those that other programs installed. */
import { expect, test } from "bun:test";
import { join, relative } from "node:path";

import { playRegistry } from "../../../../test/support/registry.ts";
import { installPackages, type PackageRequest } from "./change.ts";
import { findPackages } from "./find.ts";
import { openPackage } from "./installed-package.ts";
import { oneExtension, piManifest, workshopWith } from "./testing/workshop.ts";

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

interface Row {
	name: string;
	from: string;
	scope: string;
	extensions: string[];
	off?: string;
}

function found(shop: Workshop, isTrusted = true): { rows: Row[]; problems: string[] } {
	const { home, agentDir, project: cwd } = shop;
	const { packages, problems } = findPackages({ cwd, home, agentDir, isTrusted });
	const rows = packages.map((one) => ({
		name: one.name,
		from: one.from,
		scope: one.scope,
		extensions: openPackage(one).contents.resources.extensions.map(({ path }) => relative(one.root, path)),
		...(one.off === undefined ? {} : { off: one.off }),
	}));
	return { rows, problems: problems.map(({ path, message }) => `${relative(shop.base, path)}: ${message}`) };
}

function used(shop: Workshop, isTrusted = true): string[] {
	return found(shop, isTrusted).rows.flatMap(({ name, off }) => (off === undefined ? [name] : []));
}

const twoExtensions = {
	"package.json": JSON.stringify({ name: "two", version: "1.0.0", pi: { extensions: ["a.ts", "b.ts"] } }),
	"a.ts": "",
	"b.ts": "",
};

function npm(name: string): PackageRequest {
	return { source: { kind: "npm", name }, features: undefined };
}

test("a home without packages has none, and reports nothing", () => {
	using shop = openWorkshop();
	expect(found(shop)).toEqual({ rows: [], problems: [] });
});

test("a project's package overrides the user's of the same name, in that project only", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest }, oneExtension);
	await installPackages([npm("tool")], shop.options);
	await installPackages([npm("tool")], { ...shop.options, home: shop.local });
	expect(found(shop).rows).toMatchObject([
		{ name: "tool", scope: "project", extensions: ["index.ts"] },
		{ name: "tool", scope: "user", off: expect.stringContaining("another package takes precedence") },
	]);
	expect(await Bun.file(join(shop.local.directory, ".gitignore")).text()).toContain("store/");
});

test("an untrusted project can neither link packages elsewhere nor name them", async () => {
	using shop = openWorkshop();
	const outside = shop.put("home/outside", twoExtensions);
	const wanted = { source: { kind: "path", path: outside } as const, features: undefined };
	await installPackages([wanted], { ...shop.options, home: shop.local });
	shop.put("project/.pi", { "settings.json": JSON.stringify({ packages: ["../../home/outside"] }) });
	expect(used(shop, true)).toEqual(["two"]);
	expect(found(shop, false)).toEqual({ rows: [], problems: [] });
});

test("settings name packages by path and filter the contents of each", () => {
	using shop = openWorkshop();
	shop.put("home/.tau/agent/mine/two", twoExtensions);
	shop.put("home/.tau/agent/mine", { "one.ts": "" });
	shop.put("home/.tau/agent", {
		"config.yml":
			"packages:\n  - ./mine/one.ts\n  - source: ./mine/two\n    extensions: ['!b.ts']\n  - npm:absent\n  - 7\n",
	});
	const { rows, problems } = found(shop);
	expect(rows).toMatchObject([
		{ name: "one.ts", from: "packages" },
		{ name: "two", from: "packages", extensions: ["a.ts"] },
	]);
	expect(problems).toEqual([
		"home/.tau/agent/config.yml: packages: an entry is neither a source nor an object with a source",
		"home/.tau/agent/config.yml: packages: npm:absent is not installed. Run tau install npm:absent",
	]);
});

test("settings filter the contents of an installed package, and a project can only filter more", async () => {
	using shop = openWorkshop();
	const { "package.json": _, ...files } = { ...twoExtensions, "c.ts": "" };
	shop.registry.publish({ name: "three", version: "1.0.0", pi: { extensions: ["*.ts"] } }, files);
	await installPackages([npm("three")], shop.options);
	const entry = (source: string, more: object): string => JSON.stringify({ packages: [{ source, ...more }] });
	shop.put("home/.tau/agent", { "settings.json": entry("npm:three", { extensions: ["!a.ts"] }) });
	expect(found(shop).rows).toMatchObject([{ extensions: ["b.ts", "c.ts"] }]);
	shop.put("project/.tau", {
		"settings.json": entry("npm:three", { autoload: false, extensions: ["-c.ts"] }),
	});
	expect(found(shop).rows).toMatchObject([{ extensions: ["b.ts"] }]);
	expect(found(shop, false).rows).toMatchObject([{ extensions: ["b.ts", "c.ts"] }]);
	shop.put("project/.tau", { "settings.json": entry("npm:three", { extensions: ["a.ts"] }) });
	expect(found(shop).rows).toMatchObject([{ extensions: ["a.ts"] }]);
});

test("packages that pi installed are used in place", () => {
	using shop = openWorkshop();
	const packages = [
		"npm:two@1.0.0",
		{ source: "git:github.com/me/repo@v1", extensions: ["a.ts"] },
		"../local",
	];
	shop.put("home/.pi/agent", { "settings.json": JSON.stringify({ packages }) });
	shop.put("home/.pi/agent/npm/node_modules/two", twoExtensions);
	shop.put("home/.pi/agent/git/github.com/me/repo", {
		...twoExtensions,
		"package.json": twoExtensions["package.json"].replace('"two"', '"repo"'),
	});
	shop.put("home/.pi/local/extensions", { "x.ts": "" });
	expect(found(shop)).toEqual({
		problems: [],
		rows: [
			{ name: "two", from: "pi", scope: "user", extensions: ["a.ts", "b.ts"] },
			{ name: "repo", from: "pi", scope: "user", extensions: ["a.ts"] },
			{ name: "local", from: "pi", scope: "user", extensions: ["extensions/x.ts"] },
		],
	});
});

test("omp's plugins are used with their states and features", () => {
	using shop = openWorkshop();
	const manifest = (name: string, omp: object): string => JSON.stringify({ name, version: "1.0.0", omp });
	const features = { more: { extensions: ["b.ts"] } };
	shop.put("home/.omp/plugins", {
		"package.json": JSON.stringify({ dependencies: { on: "1", off: "1", plain: "1", "../evil": "1" } }),
		"omp-plugins.lock.json": JSON.stringify({
			plugins: { off: { enabled: false }, on: { enabledFeatures: ["more"] } },
		}),
		"node_modules/on/package.json": manifest("on", { extensions: ["a.ts"], features }),
		"node_modules/on/a.ts": "",
		"node_modules/on/b.ts": "",
		"node_modules/off/package.json": manifest("off", { extensions: [] }),
		"evil/package.json": manifest("evil", { extensions: [] }),
		"node_modules/plain/package.json": '{"name":"plain"}',
	});
	expect(found(shop).rows).toEqual([
		{ name: "on", from: "omp", scope: "user", extensions: ["a.ts", "b.ts"] },
		{ name: "off", from: "omp", scope: "user", extensions: [], off: "disabled in omp" },
	]);
});

test("a trusted project disables packages and chooses features by its overrides", async () => {
	using shop = openWorkshop();
	const omp = { features: { extra: { extensions: ["index.ts"] } } };
	for (const name of ["a", "b"]) shop.registry.publish({ name, version: "1.0.0", omp }, oneExtension);
	await installPackages([npm("a"), npm("b")], shop.options);
	shop.put("project/.tau", {
		"plugin-overrides.json": JSON.stringify({ disabled: ["a"], features: { b: ["extra"] } }),
	});
	expect(found(shop).rows).toMatchObject([
		{ name: "a", off: "disabled by the project" },
		{ name: "b", extensions: ["index.ts"] },
	]);
	expect(found(shop, false).rows).toMatchObject([
		{ name: "a", extensions: [] },
		{ name: "b", extensions: [] },
	]);
	shop.put("project/.tau", { "plugin-overrides.json": "{" });
	expect(found(shop).problems).toEqual([expect.stringContaining("plugin-overrides.json: cannot read it")]);
	expect(used(shop)).toEqual(["a", "b"]);
});

test("Claude Code's plugins are used if they are enabled there", () => {
	using shop = openWorkshop();
	const plugin = (name: string) => ({
		[`plugins/${name}/.claude-plugin/plugin.json`]: JSON.stringify({ name }),
	});
	const market = shop.put("home/.claude/plugins/marketplaces/m", {
		".claude-plugin/marketplace.json": JSON.stringify({
			plugins: [
				{ name: "listed", source: "./plugins/listed" },
				{ name: "evil", source: "../../../../.." },
			],
		}),
		...plugin("listed"),
	});
	const cached = shop.put("home/.claude/plugins/cache/m", {
		...plugin("a"),
		...plugin("b"),
		...plugin("c"),
		...plugin("d"),
	});
	const at = (name: string, more = {}): object[] => [
		{ scope: "user", installPath: join(cached, "plugins", name), version: "1.0.0", ...more },
	];
	shop.put("home/.claude/plugins", {
		"installed_plugins.json": JSON.stringify({
			version: 2,
			plugins: {
				"a@m": at("a"),
				"b@m": at("b"),
				"c@m": at("c", { scope: "project", projectPath: "/elsewhere" }),
				"d@m": at("d", { scope: "project", projectPath: shop.project })[0],
			},
		}),
		"known_marketplaces.json": JSON.stringify({
			m: { source: { source: "github", repo: "a/b" }, installLocation: market },
		}),
	});
	shop.put("home/.claude", {
		"settings.json": JSON.stringify({
			enabledPlugins: { "a@m": true, "b@m": false, "listed@m": true, "evil@m": true },
		}),
	});
	expect(used(shop)).toEqual(["a", "d", "listed"]);
	shop.put("project/.claude", {
		"settings.json": JSON.stringify({ enabledPlugins: { "a@m": false, "b@m": true } }),
	});
	expect(used(shop, true)).toEqual(["b", "d", "listed"]);
	expect(used(shop, false)).toEqual(["d", "listed"]);
});
