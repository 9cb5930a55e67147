/** Where nothing contains commands, only plain ones run unasked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { bash, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

let base = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-plain-test-")));
	useDirectories(base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("what changes the shell, or only the shell can expand, runs unasked only where something contains it", async () => {
	const commands = [
		"wait",
		"trap 'echo done' EXIT",
		'x=$(ls); echo "$x"',
		"while read -r x; do echo a; done < f",
	];
	for (const command of commands) {
		expect([command, await outcomeOf({ mode: "auto" }, bash(command))]).toEqual([command, "ask"]);
		for (const boundary of ["sandbox", "container"] as const)
			expect([command, await outcomeOf({ mode: "auto", boundary }, bash(command))]).toEqual([
				command,
				"allow",
			]);
		expect([command, await outcomeOf({ mode: "ask", boundary: "sandbox" }, bash(command))]).toEqual([
			command,
			"allow",
		]);
	}
	expect(await outcomeOf({ mode: "plan" }, bash("wait"))).toBe("refuse");
});
