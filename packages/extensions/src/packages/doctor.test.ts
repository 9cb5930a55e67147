/** What `tau plugin doctor` finds and repairs. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playRegistry } from "../../../../test/support/registry.ts";
import { changePackage } from "./change.ts";
import { examinePackages } from "./doctor.ts";
import { stateFile } from "./state.ts";
import { rootOf } from "./homes.ts";
import { packageTarball } from "../../../../test/support/tarball.ts";
import { oneExtension, piManifest, workshopWith } from "./testing/workshop.ts";

const openWorkshop = workshopWith(playRegistry);
type Workshop = ReturnType<typeof openWorkshop>;

async function examine(shop: Workshop, isFixing = false): Promise<string[]> {
	const checks = await examinePackages({ ...shop.options, cwd: shop.project, isFixing });
	return checks.map(({ name, status, message, fixed }) => {
		const about = name.startsWith("/") ? "lock file" : name;
		return `${fixed === true ? "fixed" : status} ${about}: ${message}`;
	});
}

async function shopWithTool(): Promise<Workshop> {
	const shop = openWorkshop();
	shop.registry.publish({ name: "tool", version: "1.0.0", ...piManifest }, oneExtension);
	await shop.install("npm:tool");
	return shop;
}

test("a healthy home has no problems", async () => {
	using shop = await shopWithTool();
	expect(await examine(shop)).toEqual(["ok tool: 1.0.0, pi"]);
});

test("directories of interrupted runs are found and removed", async () => {
	using shop = await shopWithTool();
	const left = join(shop.user.directory, "store/left-over");
	mkdirSync(left);
	writeFileSync(join(left, "record.json"), "{}");
	mkdirSync(join(shop.user.directory, "store/not-of-tau"));
	expect(await examine(shop)).toContain("warning store: 1 folders of unfinished installs");
	expect(shop.folders()).toContain("left-over");
	expect(await examine(shop, true)).toContain("fixed store: 1 folders of unfinished installs");
	expect(shop.folders()).not.toContain("left-over");
	expect(shop.folders()).toContain("not-of-tau");
});

test("missing files are downloaded again, exactly the same", async () => {
	using shop = await shopWithTool();
	const entry = shop.state().plugins.get("tool");
	renameSync(join(shop.user.directory, "store"), join(shop.base, "away"));
	shop.registry.publish({ name: "tool", version: "2.0.0", ...piManifest }, oneExtension);
	expect(await examine(shop)).toEqual(["error tool: its files are missing (npm:tool)"]);
	expect(await examine(shop, true)).toEqual(["fixed tool: its files are missing (npm:tool)"]);
	expect(shop.state().plugins.get("tool")).toEqual(entry);
	expect(await examine(shop)).toEqual(["ok tool: 1.0.0, pi"]);
});

test("a registry with another archive under the same version is rejected", async () => {
	using shop = await shopWithTool();
	renameSync(join(shop.user.directory, "store"), join(shop.base, "away"));
	shop.registry.publishArchive(
		"tool",
		"1.0.0",
		packageTarball({ "package.json": '{"name":"tool","version":"1.0.0"}' }),
	);
	expect(await examine(shop, true)).toEqual([expect.stringContaining("does not match the lock file")]);
});

test("a damaged lock file is rebuilt from the store, and a copy of the old one is saved", async () => {
	using shop = await shopWithTool();
	const file = stateFile(shop.user.directory);
	const before = shop.state().plugins;
	writeFileSync(file, readFileSync(file, "utf8").slice(0, 40));
	expect(await examine(shop)).toEqual([expect.stringContaining("error lock file: cannot read it")]);
	expect(await examine(shop, true)).toEqual([
		expect.stringContaining("fixed lock file"),
		"ok tool: 1.0.0, pi",
	]);
	expect(shop.state().plugins).toEqual(before);
});

test("missing files of a manifest, unknown features and invalid settings are reported", async () => {
	using shop = openWorkshop();
	const tau = {
		extensions: ["index.ts", "gone.ts"],
		features: { real: {} },
		settings: { size: { type: "number", max: 5 } },
	};
	shop.registry.publish({ name: "tool", version: "1.0.0", tau }, oneExtension);
	await shop.install("npm:tool");
	await changePackage("tool", shop.options, (entry) => ({
		entry: { ...entry, enabledFeatures: ["real", "ghost"] },
		settings: new Map([["tool", { size: 9, other: "x" }]]),
	}));
	const reported = [
		"error tool: extensions: names gone.ts, which does not exist",
		"warning tool: it has no feature ghost",
		"error tool: size must be at most 5",
		"warning tool: other is set, but no such setting exists",
	];
	expect(await examine(shop)).toEqual(reported);
	expect(await examine(shop, true)).toEqual(
		reported.map((line) => line.replace("warning tool: it has", "fixed tool: it has")),
	);
	expect(shop.state().plugins.get("tool")?.enabledFeatures).toEqual(["real"]);
});

test("a linked package whose directory is gone is reported, and cannot be downloaded", async () => {
	using shop = openWorkshop();
	const path = shop.put("mine", { "package.json": '{"name":"mine"}', ...oneExtension });
	await shop.install(path);
	const entry = shop.state().plugins.get("mine");
	expect(entry && rootOf(shop.user, entry)).toBe(path);
	renameSync(path, join(shop.base, "away"));
	expect(await examine(shop, true)).toEqual([`error mine: its files are missing (${path})`]);
});
