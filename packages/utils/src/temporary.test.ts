/** Temporary directories: private, named for their process, deleted by a later one if their own was killed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { sweepTemporary, temporaryDirectory } from "./temporary.ts";

let parent = "";
beforeEach(() => void (parent = mkdtempSync(join(tmpdir(), "tau-temporary-"))));
afterEach(() => rmSync(parent, { recursive: true, force: true }));

/** No system has so many processes. */
const deadPid = 2 ** 30;
const ofDead = (name: string): string => name.replace(/-\d+-/, `-${deadPid}-`);

test("only the user can access it", () => {
	expect(statSync(temporaryDirectory("test", parent)).mode & 0o777).toBe(0o700);
});

test("those of processes that no longer run are deleted, with their contents", async () => {
	const own = basename(temporaryDirectory("test", parent));
	mkdirSync(join(parent, ofDead(own)));
	writeFileSync(join(parent, ofDead(own), "file"), "text");
	await sweepTemporary(parent);
	expect(readdirSync(parent)).toEqual([own]);
});

test("those of other machines, and whatever else is there, stay", async () => {
	const own = basename(temporaryDirectory("test", parent));
	const others = [
		ofDead(own).replace(/-[0-9a-z]+-(\w{6})$/, "-elsewhere-$1"),
		"tau-test-abcdef",
		`x${ofDead(own)}`,
	];
	for (const name of others) mkdirSync(join(parent, name));
	mkdirSync(join(parent, "target"));
	symlinkSync("target", join(parent, ofDead(own)));
	await sweepTemporary(parent);
	expect(readdirSync(parent).toSorted()).toEqual([own, ...others, "target", ofDead(own)].toSorted());
});

test("a parent that cannot be read is no failure", async () => {
	await sweepTemporary(join(parent, "missing"));
	expect(existsSync(join(parent, "missing"))).toBe(false);
});
