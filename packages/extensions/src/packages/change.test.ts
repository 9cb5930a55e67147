/** Installing, removing and updating: all or nothing, whatever happens in between. */
import { expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { playRegistry } from "../../../../test/support/registry.ts";
import { changePackage, installPackages, uninstallPackages, updatePackages } from "./change.ts";
import { limits } from "./limits.ts";
import { stateFile } from "./state.ts";
import { rootOf } from "./homes.ts";
import { packageTarball, tarball, type TarFile } from "../../../../test/support/tarball.ts";
import { oneExtension, piManifest, workshopWith } from "./testing/workshop.ts";

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

function names({ state }: Workshop): string[] {
	return [...state().plugins].map(([name, { version }]) => `${name} ${version}`);
}

function rootOfNamed(shop: Workshop, name: string): string {
	const entry = shop.state().plugins.get(name);
	if (!entry) throw new Error(`${name} is not installed`);
	return rootOf(shop.user, entry);
}

test("a package of the registry is installed with its dependencies, and no script runs", async () => {
	using shop = openWorkshop();
	const scripts = {
		scripts: { preinstall: `touch ${shop.base}/ran`, postinstall: `touch ${shop.base}/ran` },
	};
	// A name that Bun trusts by default.
	shop.registry.publish(
		{ name: "esbuild", version: "2.1.0", ...scripts },
		{ "index.js": "module.exports = 7;" },
	);
	shop.registry.publish(
		{ name: "@me/tool", version: "1.0.0", ...piManifest, ...scripts, dependencies: { esbuild: "^2.0.0" } },
		oneExtension,
	);
	expect(await shop.install("npm:@me/tool")).toMatchObject([
		{
			name: "@me/tool",
			warnings: ["@me/tool wants to run scripts (preinstall, postinstall); Tau does not run them."],
		},
	]);
	expect(names(shop)).toEqual(["@me/tool 1.0.0"]);
	const root = rootOfNamed(shop, "@me/tool");
	expect(readFileSync(join(root, "index.ts"), "utf8")).toBe(oneExtension["index.ts"]);
	expect(existsSync(join(root, "node_modules/esbuild/index.js"))).toBe(true);
	expect(existsSync(join(shop.base, "ran"))).toBe(false);
	expect(statSync(stateFile(shop.user.directory)).mode & 0o777).toBe(0o600);
});

test("packages that Tau provides to extensions are not downloaded again", async () => {
	using shop = openWorkshop();
	const dependencies = { "@mariozechner/pi-coding-agent": "*", "@earendil-works/pi-tui": "*", typebox: "*" };
	shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest, dependencies }, oneExtension);
	expect(await shop.install("npm:tool")).toMatchObject([{ name: "tool" }]);
	expect(shop.registry.requests.map(({ path }) => path)).toEqual(["tool", "-/tool/1.0.0.tgz"]);
});

test.each([
	["npm:tool", "2.0.0"],
	["npm:tool@1.0.0", "1.0.0"],
	["npm:tool@^1.0.0", "1.5.0"],
	["npm:tool@latest", "2.0.0"],
])("%s resolves to version %s", async (source, version) => {
	using shop = openWorkshop();
	for (const published of ["1.0.0", "1.5.0", "2.0.0"])
		shop.registry.publish({ name: "tool", version: published, ...piManifest }, oneExtension);
	await shop.install(source);
	expect(names(shop)).toEqual([`tool ${version}`]);
});

test("an archive that does not match the registry's checksum is rejected", async () => {
	using shop = openWorkshop();
	const archive = packageTarball({ "package.json": '{"name":"tool","version":"1.0.0"}' });
	shop.registry.publishArchive("tool", "1.0.0", archive, `sha512-${"A".repeat(86)}==`);
	expect(await shop.install("npm:tool")).toContain("does not match the registry");
	shop.registry.publishArchive("other", "1.0.0", archive, "");
	expect(await shop.install("npm:other")).toContain("no sha512");
	expect(shop.folders()).toEqual([]);
});

const plain: TarFile = { path: "package/package.json", text: '{"name":"evil","version":"1.0.0"}' };

test.each<[string, TarFile[], string]>([
	["a path that climbs", [plain, { path: "package/../../../evil", text: "x" }], "points outside"],
	["an absolute path", [plain, { path: "/tmp/tau-evil", text: "x" }], "points outside"],
	["a link out", [plain, { path: "package/link", type: "2", target: "/etc" }], "is a link"],
	["a hard link", [plain, { path: "package/link", type: "1", target: "../../x" }], "is a link"],
	["a device", [plain, { path: "package/null", type: "3" }], "neither a file nor a directory"],
	["two folders", [plain, { path: "other/file", text: "x" }], "a single top-level folder"],
	["no archive at all", [], "a single top-level folder"],
])("an archive with %s is rejected with the reason, and leaves nothing behind", async (_, files, reason) => {
	using shop = openWorkshop();
	shop.registry.publishArchive("evil", "1.0.0", tarball(files));
	expect(await shop.install("npm:evil")).toContain(reason);
	expect(shop.folders()).toEqual([]);
	expect(names(shop)).toEqual([]);
});

test.each([
	["../outside.ts", "points outside the package"],
	["/etc/passwd", "points outside the package"],
	["sub/../../outside.ts", "points outside the package"],
])("a manifest that names %s is rejected", async (entry, reason) => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "tool", version: "1.0.0", pi: { extensions: [entry] } });
	expect(await shop.install("npm:tool")).toContain(reason);
	expect(shop.folders()).toEqual([]);
});

test("a package with one path outside of it is installed without that path, which is named", async () => {
	using shop = openWorkshop();
	shop.registry.publish(
		{ name: "lens", version: "1.0.0", pi: { ...piManifest.pi, skills: ["../../skills"] } },
		oneExtension,
	);
	expect(await shop.install("npm:lens")).toMatchObject([
		{ name: "lens", warnings: ['lens: skills "../../skills" points outside the package and was left out.'] },
	]);
	expect(names(shop)).toEqual(["lens 1.0.0"]);
});

test("an archive that cannot be unpacked is reported by name, and leaves nothing behind", async () => {
	using shop = openWorkshop();
	const manifest = JSON.stringify({ name: "odd", version: "1.0.0", ...piManifest });
	const archive = tarball([
		{ path: "package/package.json", text: manifest },
		{ path: "package/index.ts", text: "" },
		{ path: `package/${"n".repeat(90)}/`, type: "5" },
		{ path: "package/index.ts/inside", text: "a file is no directory" },
	]);
	shop.registry.publishArchive("odd", "1.0.0", archive);
	expect(await shop.install("npm:odd")).toContain("Cannot unpack the archive of odd@1.0.0: ");
	expect(shop.folders()).toEqual([]);
});

test("leftovers in an unreadable directory are cleaned up", async () => {
	using shop = openWorkshop();
	const store = join(shop.user.directory, "store");
	const closed = join(store, "left-12345678/unpacked/package");
	mkdirSync(closed, { recursive: true });
	writeFileSync(join(store, "left-12345678/record.json"), "{}\n");
	writeFileSync(join(closed, "file"), "");
	chmodSync(closed, 0);
	shop.registry.publish({ name: "next", version: "1.0.0", ...piManifest }, oneExtension);
	expect(await shop.install("npm:next")).toMatchObject([{ name: "next" }]);
	expect(shop.folders()).toHaveLength(1);
});

test("an archive that contains a different package than its name is rejected", async () => {
	using shop = openWorkshop();
	shop.registry.publishArchive("nice", "1.0.0", tarball([plain]));
	expect(await shop.install("npm:nice")).toContain('contains another package: "evil"');
});

test("if one of several packages fails, nothing changes", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "a", version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:a");
	const before = readFileSync(stateFile(shop.user.directory), "utf8");
	const folders = shop.folders();
	shop.registry.publish({ name: "a", version: "2.0.0", ...piManifest }, oneExtension);
	shop.registry.publish(
		{ name: "b", version: "1.0.0", ...piManifest, dependencies: { gone: "1.0.0" } },
		oneExtension,
	);
	expect(await shop.install("npm:a", "npm:b")).toContain("bun install for b failed");
	expect(await shop.install("npm:a", "npm:absent")).toContain("Package absent not found");
	expect(await shop.install("npm:a@9.0.0")).toContain(
		"Version 9.0.0 of a not found. Latest versions: 2.0.0, 1.0.0.",
	);
	expect(readFileSync(stateFile(shop.user.directory), "utf8")).toBe(before);
	expect(shop.folders()).toEqual(folders);
});

test("an interrupted installation leaves nothing behind", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "a", version: "1.0.0", ...piManifest }, oneExtension);
	const never = Promise.withResolvers<void>();
	const asked = shop.registry.hold(never.promise);
	const controller = new AbortController();
	const wanted = { source: { kind: "npm", name: "a" } as const, features: undefined };
	const done = installPackages([wanted], { ...shop.options, signal: controller.signal });
	await asked;
	controller.abort();
	expect(await done).toEqual({ ok: false, reason: "Interrupted. Nothing was changed." });
	never.resolve();
	expect(shop.folders()).toEqual([]);
});

test("features are chosen in brackets, and an unknown one is rejected with the available ones", async () => {
	using shop = openWorkshop();
	const omp = { extensions: ["index.ts"], features: { one: { default: true }, two: {} } };
	shop.registry.publish({ name: "tool", version: "1.0.0", omp }, oneExtension);
	const chosen = async (brackets: string): Promise<unknown> => {
		const done = await shop.install(`npm:tool${brackets}`);
		return typeof done === "string" ? done : done[0]?.entry.enabledFeatures;
	};
	expect(await chosen("")).toBeNull();
	expect(await chosen("[*]")).toEqual(["one", "two"]);
	expect(await chosen("[]")).toEqual([]);
	expect(await chosen("[two]")).toEqual(["two"]);
	expect(await chosen("[three]")).toBe("tool has no feature three. Available: one, two.");
	expect(shop.state().plugins.get("tool")?.enabledFeatures).toEqual(["two"]);
});

test("an update installs the newest version that the source allows, keeps choices and settings, and removes the old one", async () => {
	using shop = openWorkshop();
	for (const name of ["free", "pinned"])
		shop.registry.publish({ name, version: "1.0.0", ...piManifest }, oneExtension);
	const linked = shop.put("linked", { "package.json": '{"name":"linked"}', ...oneExtension });
	await shop.install("npm:free", "npm:pinned@1.0.0", linked);
	await changePackage("free", shop.options, (entry, { settings }) => ({
		entry: { ...entry, enabled: false },
		settings: new Map(settings).set("free", { key: "kept" }),
	}));
	expect(await updatePackages(["free"], shop.options)).toMatchObject({ value: [{ state: "current" }] });
	for (const name of ["free", "pinned"])
		shop.registry.publish({ name, version: "1.1.0", ...piManifest }, oneExtension);
	expect(await updatePackages([], shop.options)).toEqual({
		ok: true,
		value: [
			{ name: "free", before: "1.0.0", after: "1.1.0", state: "updated" },
			{ name: "pinned", before: "1.0.0", after: "1.0.0", state: "pinned" },
			{ name: "linked", before: "0.0.0", after: "0.0.0", state: "linked" },
		],
	});
	expect(shop.state().plugins.get("free")).toMatchObject({ version: "1.1.0", enabled: false });
	expect(shop.state().settings.get("free")).toEqual({ key: "kept" });
	expect(shop.folders().filter((folder) => folder.startsWith("free"))).toHaveLength(1);
});

test("removing deletes the files, the entry and the settings, by name or by source", async () => {
	using shop = openWorkshop();
	for (const name of ["a", "b"])
		shop.registry.publish({ name, version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:a@1.0.0", "npm:b");
	await changePackage("a", shop.options, (_, { settings }) => ({
		settings: new Map(settings).set("a", { x: 1 }),
	}));
	expect(await uninstallPackages(["a", "nothing"], shop.options)).toMatchObject({
		reason: "Package nothing not found. Installed: a, b.",
	});
	expect(await uninstallPackages(["npm:a", "b"], shop.options)).toMatchObject({ ok: true });
	expect(shop.state().plugins.size).toBe(0);
	expect(shop.state().settings.size).toBe(0);
	expect(shop.folders()).toEqual([]);
});

test("a package with the same name from another source needs confirmation", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:tool");
	const path = shop.put("mine", { "package.json": '{"name":"tool","version":"9.0.0"}', ...oneExtension });
	expect(await shop.install(path)).toContain("Use --force");
	const wanted = { source: { kind: "path", path } as const, features: undefined };
	expect(await installPackages([wanted], { ...shop.options, isForced: true })).toMatchObject({ ok: true });
	expect(names(shop)).toEqual(["tool 9.0.0"]);
	expect(shop.folders()).toEqual([]);
	expect(existsSync(join(path, "index.ts"))).toBe(true);
});

test("a damaged lock file is not overwritten, and the error says what to do", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "a", version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:a");
	const file = stateFile(shop.user.directory);
	const torn = readFileSync(file, "utf8").slice(0, 60);
	writeFileSync(file, torn);
	expect(await shop.install("npm:a")).toContain("Run tau plugin doctor --fix to repair it");
	expect(readFileSync(file, "utf8")).toBe(torn);
	expect(shop.folders()).toHaveLength(1);
});

test("an archive above the size limit is rejected", async () => {
	using shop = openWorkshop();
	shop.registry.publishArchive("huge", "1.0.0", new Uint8Array(limits.tarballBytes + 1));
	expect(await shop.install("npm:huge")).toContain(`larger than ${limits.tarballBytes} bytes`);
});

test("a damaged package is repaired by installing it again with force", async () => {
	using shop = openWorkshop();
	shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:tool");
	const file = join(rootOfNamed(shop, "tool"), "index.ts");
	writeFileSync(file, "broken");
	const wanted = { source: { kind: "npm", name: "tool" } as const, features: undefined };
	await installPackages([wanted], { ...shop.options, isForced: true });
	expect(readFileSync(file, "utf8")).toBe(oneExtension["index.ts"]);
	expect(shop.folders()).toHaveLength(1);
});

test.each([".tau", ".tau/plugins", ".tau/plugins/store"])(
	"a project in which %s is a link is not written to",
	async (path) => {
		using shop = openWorkshop();
		const outside = shop.put("outside", {
			"precious/record.json": "{}",
			"plugins/store/precious/record.json": "{}",
		});
		mkdirSync(dirname(join(shop.project, path)), { recursive: true });
		symlinkSync(outside, join(shop.project, path));
		shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest }, oneExtension);
		const wanted = { source: { kind: "npm", name: "tool" } as const, features: undefined };
		const done = await installPackages([wanted], { ...shop.options, home: shop.local });
		expect(done).toEqual({ ok: false, reason: expect.stringContaining("is a link") });
		expect(existsSync(join(outside, "precious/record.json"))).toBe(true);
		expect(existsSync(join(outside, "plugins/store/precious/record.json"))).toBe(true);
		expect(readdirSync(outside).toSorted()).toEqual(["plugins", "precious"]);
	},
);

test.each(["../../..", "a/../../b", "/etc", "..", "."])(
	"a lock file with the folder %s is rejected",
	async (folder) => {
		using shop = openWorkshop();
		const entry = { source: "npm:x", version: "1.0.0", folder, enabled: true, enabledFeatures: null };
		shop.put("home/.tau/agent/plugins", {
			"tau-plugins.lock.json": JSON.stringify({ plugins: { x: entry } }),
		});
		expect(await uninstallPackages(["x"], shop.options)).toEqual({
			ok: false,
			reason: expect.stringContaining('its entry for "x" is invalid'),
		});
	},
);
