/** A private directory is closed to other users, whatever created it. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onDispose } from "./dispose.ts";
import { privateDirectory } from "./private-directory.ts";

function home(): Disposable & { path: string } {
	const path = mkdtempSync(join(tmpdir(), "tau-private-"));
	return { path, ...onDispose(() => rmSync(path, { recursive: true })) };
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("a new one is created together with its parents", () => {
	using at = home();
	expect(modeOf(privateDirectory(join(at.path, "a/b")))).toBe(0o700);
	expect(modeOf(join(at.path, "a"))).toBe(0o700);
});

test("one that was open to others is closed", () => {
	using at = home();
	const path = join(at.path, "state");
	mkdirSync(path);
	chmodSync(path, 0o755);
	expect(modeOf(privateDirectory(path))).toBe(0o700);
});

test("a directory that cannot be created is not an error", () => {
	using at = home();
	const file = join(at.path, "file");
	writeFileSync(file, "");
	expect(privateDirectory(join(file, "below"))).toBe(join(file, "below"));
});
