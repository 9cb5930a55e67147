/** Tau searches with its own ripgrep, with a newer one of the user's, or reports what to install. */
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { bundledVersion, findRipgrep, ripgrepPath } from "./ripgrep.ts";

const base = mkdtempSync(join(tmpdir(), "tau-rg-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function program(name: string, says: string): string {
	const path = join(base, name);
	writeFileSync(path, `#!/bin/sh\necho "${says}"\n`);
	chmodSync(path, 0o755);
	return path;
}

function find(onPath: string | undefined, bundled: string | undefined): Promise<string> {
	return findRipgrep({
		onPath: () => onPath,
		bundled: () => Promise.resolve(bundled),
		cacheDirectory: join(base, "cache"),
	});
}

test("the bundled one has the expected version", async () => {
	const { rgPath } = await import("@vscode/ripgrep");
	const version = Bun.spawnSync([rgPath, "--version"]).stdout.toString();
	expect(version).toStartWith(`ripgrep ${bundledVersion} `);
	expect(await ripgrepPath()).toBeString();
});

test("a newer one on PATH is used, an older one is not", async () => {
	const own = program("own", "");
	const newer = program("newer", "ripgrep 99.0.1 (rev 1)");
	const older = program("older", "ripgrep 13.0.0");
	expect(await find(newer, own)).toBe(newer);
	expect(await find(older, own)).toBe(own);
	expect(await find(undefined, own)).toBe(own);
	expect(await find(older, undefined)).toBe(older);
});

test("a program that only has the name, or is in a relative directory, is not run", async () => {
	const other = program("other", "not what you think");
	await expect(find(other, undefined)).rejects.toThrow("ripgrep not found. Install it");
	await expect(find(join(base, "gone"), undefined)).rejects.toThrow("ripgrep not found. Install it");
	await expect(find("./rg", undefined)).rejects.toThrow("ripgrep not found. Install it");
});
