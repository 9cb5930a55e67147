/** The directory for temporary files is not the project: only the session's own files there are written unasked. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
	bash,
	fixture,
	outcomeOf,
	useDirectories,
	write,
	type Setup,
} from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-policy-temporary-")));
	({ project } = useDirectories(base));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const setups: readonly Setup[] = [
	{ mode: "ask" },
	{ mode: "auto" },
	{ mode: "auto", boundary: "sandbox" },
	{ mode: "ask", boundary: "sandbox" },
];

test("a file of the host below the temporary directory is outside, also through a link of the project", async () => {
	mkdirSync(join(base, "host"));
	symlinkSync(join(base, "host"), join(project, "ht"));
	for (const setup of setups)
		for (const path of ["/tmp/any", "/var/tmp/any", join(base, "host/f"), "ht/w", "../beside.txt"])
			expect([setup, path, await outcomeOf(setup, write(path))]).toEqual([setup, path, "ask"]);
});

test("where nobody can answer, neither a tool nor a redirection writes there without a sandbox", async () => {
	const { judge } = await fixture({ mode: "ask" });
	for (const call of [write("/tmp/any"), bash("ls > /tmp/any"), bash("touch /tmp/any")])
		expect(await judge(call)).toContain("nobody can answer here");
});

test("the session's own temporary files are written unasked", async () => {
	const { judge, policy } = await fixture({ mode: "auto", boundary: "sandbox" });
	policy.isTemporary = (path) => path === "/tmp/own";
	expect(await judge(write("/tmp/own"))).toBe("allow");
	expect(await judge(write("/tmp/other"))).toContain("/tmp/other outside the project");
});
