/** A private directory is closed to others, whoever made it and however. */
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

test("a new one is made, with what is above it", () => {
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

test("one that cannot be made is not an error", () => {
	using at = home();
	const file = join(at.path, "file");
	writeFileSync(file, "");
	expect(privateDirectory(join(file, "below"))).toBe(join(file, "below"));
});
