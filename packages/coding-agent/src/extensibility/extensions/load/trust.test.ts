/** What a person said about a project's code is kept, counts for what lies below, and can be taken back. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { forgetTrust, isTrusted, setTrusted, trustAnswer, trustFile, trustOf } from "./trust.ts";

let root = "";
let agent = "";
let project = "";
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "tau-trust-")));
	[agent, project] = [join(root, "agent"), join(root, "project")];
	mkdirSync(join(project, "inner"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

test("nobody asked means no", () => {
	expect([isTrusted(project, agent), trustOf(project, agent)]).toEqual([false, undefined]);
});

test("an answer counts for what lies below, and says where it was given", () => {
	setTrusted(project, agent, true);
	expect(trustAnswer(project, agent)).toEqual({ directory: project, trusted: true, isOwn: true });
	expect(trustAnswer(join(project, "inner"), agent)).toEqual({
		directory: project,
		trusted: true,
		isOwn: false,
	});
	expect(trustOf(root, agent)).toBeUndefined();
});

test("the nearest answer counts, and without it the one above", () => {
	const inner = join(project, "inner");
	setTrusted(project, agent, true);
	setTrusted(inner, agent, false);
	expect([isTrusted(project, agent), isTrusted(inner, agent)]).toEqual([true, false]);
	forgetTrust(inner, agent);
	expect(isTrusted(inner, agent)).toBe(true);
	forgetTrust(project, agent);
	expect(trustOf(inner, agent)).toBeUndefined();
});

test("a link to a project is that project", () => {
	setTrusted(project, agent, true);
	symlinkSync(project, join(root, "link"));
	expect(isTrusted(join(root, "link"), agent)).toBe(true);
	forgetTrust(join(root, "link"), agent);
	expect(isTrusted(project, agent)).toBe(false);
});

test("the file is for its owner alone, and a damaged one says yes to nothing", () => {
	setTrusted(project, agent, true);
	expect(statSync(trustFile(agent)).mode & 0o777).toBe(0o600);
	writeFileSync(trustFile(agent), readFileSync(trustFile(agent), "utf8").slice(0, -4));
	expect(trustOf(project, agent)).toBeUndefined();
});
