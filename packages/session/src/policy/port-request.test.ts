/** Questions about ports that cross the sandbox: one each, and a longer yes is a grant. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, fixture, useDirectories } from "../../../../test/support/policy.ts";

import { judgeItem, type JudgeContext } from "./judge.ts";

let base = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-port-request-test-")));
	useDirectories(base);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const { signal } = new AbortController();

test("a yes to a port holds for the session or the project, and can be revoked", async () => {
	const made = await fixture({ mode: "auto", boundary: "sandbox" });
	const shown = answering(made, "project");
	const { policy } = made;
	for (let turn = 0; turn < 2; turn++) {
		expect(await policy.requestPort(3000, "npm run dev", signal)).toBe(true);
		expect(await policy.requestLocal(5432, signal)).toBe(true);
	}
	expect(shown.map(({ title, reason }) => [title, reason])).toEqual([
		[
			"Make port 3000 reachable for you?",
			"a command in the sandbox listens on port 3000, which only other commands and the browser tool can reach",
		],
		[
			"Allow 127.0.0.1:5432 (your machine)?",
			"a command wants to connect to 127.0.0.1:5432, where a service of your machine listens",
		],
	]);
	expect(await policy.localPorts()).toEqual([5432]);
	const grants = await policy.grants();
	expect(grants.map(({ rule, scope }) => `${rule}, ${scope}`)).toEqual([
		"127.0.0.1:5432 (your machine), project",
		"port 3000 of the sandbox, project",
	]);
	for (const { id } of grants) await policy.revoke(id);
	expect(await policy.localPorts()).toEqual([]);
});

test("a no is no", async () => {
	const made = await fixture({ mode: "auto", boundary: "sandbox" });
	answering(made, "no");
	expect(await made.policy.requestPort(3000, "npm run dev", signal)).toBe(false);
	expect(await made.policy.requestLocal(5432, signal)).toBe(false);
	expect(await made.policy.grants()).toEqual([]);
});

test("a server of the session's own commands needs no question", async () => {
	const context = {
		mode: "auto",
		boundary: "sandbox",
		rules: [],
		tool: "browser",
		isUserUrl: () => false,
		grantFor: () => undefined,
	} as unknown as JudgeContext;
	const item = { kind: "fetch", url: "http://127.0.0.1:3000/", host: "127.0.0.1" } as const;
	expect(judgeItem(item, context).verdict).toBe("ask");
	expect(judgeItem({ ...item, isOwn: true }, context).verdict).toBe("allow");
});
