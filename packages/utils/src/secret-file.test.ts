/** Files with secrets are private and whole. */
import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readSecretFile, writeSecretFile } from "./secret-file.ts";

const directory = mkdtempSync(join(tmpdir(), "tau-secret-file-"));
afterAll(() => rmSync(directory, { recursive: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("a secret is written for its owner alone, in a directory of its owner alone", () => {
	const path = join(directory, "own", "token");
	writeSecretFile(path, "one");
	writeSecretFile(path, "two");
	expect(readSecretFile(path, 100)?.toString()).toBe("two");
	expect([modeOf(path), modeOf(join(directory, "own"))]).toEqual([0o600, 0o700]);
	expect(readdirSync(join(directory, "own"))).toEqual(["token"]);
});

test("a file that others can read is closed to them when it is read", () => {
	const path = join(directory, "open");
	writeFileSync(path, "x", { mode: 0o644 });
	chmodSync(path, 0o644);
	expect(readSecretFile(path, 100)?.toString()).toBe("x");
	expect(modeOf(path)).toBe(0o600);
});

test("a missing file is no secret, and one that is too large is an error", () => {
	expect(readSecretFile(join(directory, "missing"), 100)).toBeUndefined();
	const path = join(directory, "large");
	writeFileSync(path, "x".repeat(101));
	expect(() => readSecretFile(path, 100)).toThrow(`${path} is larger than 100 bytes`);
});

test("nothing is left behind when a secret cannot be written", () => {
	const path = join(directory, "occupied");
	mkdirSync(join(path, "inside"), { recursive: true });
	expect(() => writeSecretFile(path, "x")).toThrow();
	expect(readdirSync(directory).filter((name) => name.startsWith("occupied"))).toEqual(["occupied"]);
});
