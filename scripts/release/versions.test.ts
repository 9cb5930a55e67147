/** A release says what has changed, and is refused if its manifests or its executable have different versions. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { changesOf, checkExecutable, checkManifests } from "./versions.ts";

let root = "";
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "tau-versions-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("every manifest has the version of the release", async () => {
	for (const [name, version] of [
		["utils", "1.0.0"],
		["ai", "1.1.0"],
	] as const) {
		mkdirSync(join(root, "packages", name), { recursive: true });
		writeFileSync(join(root, "packages", name, "package.json"), JSON.stringify({ version }));
	}
	await expect(checkManifests(root, "1.1.0")).rejects.toThrow(
		"package.json has version 1.1.0, but these differ: packages/utils/package.json 1.0.0.",
	);
	writeFileSync(join(root, "packages/utils/package.json"), JSON.stringify({ version: "1.1.0" }));
	await checkManifests(root, "1.1.0");
});

test("the executable says the version of the release", async () => {
	const path = join(root, "tau");
	writeFileSync(path, "#!/bin/sh\necho 1.0.0\n");
	chmodSync(path, 0o755);
	await checkExecutable(path, "1.0.0");
	await expect(checkExecutable(path, "1.1.0")).rejects.toThrow(
		"The executable says version 1.0.0, and package.json 1.1.0.",
	);
});

test("its changes are those of its own section, with or without a date, and before it what is unreleased", () => {
	const changelog = "# Changes\n\n## 1.1.0 (2026-11-19)\n\nNew.\n\n## 1.0.0\n\nOld.\n";
	expect(changesOf(changelog, "1.1.0")).toBe("## 1.1.0 (2026-11-19)\n\nNew.\n\n");
	expect(changesOf(changelog, "1.0.0")).toBe("## 1.0.0\n\nOld.\n");
	expect(changesOf("## Unreleased\n\nSoon.\n", "1.1.0-dev")).toBe("## Unreleased\n\nSoon.\n");
	expect(changesOf("", "1.1.0")).toBe("## 1.1.0\n");
});
