/** Where nothing contains commands, only plain ones of programs on the closed list run unasked. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, bash, fixture, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

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

test("a program or an option that is not on the closed list is asked about, with the reason, unless something contains it", async () => {
	for (const [command, reason] of [
		["docker ps", "docker is not on the list of what runs unasked without a sandbox"],
		["wc --files0-from=f", "wc with --files0-from is not on the list of what runs unasked without a sandbox"],
		["timeout 5 ls", "timeout is not on the list of what runs unasked without a sandbox"],
		[
			"git log --format=x",
			"git log with --format=x is not on the list of what runs unasked without a sandbox",
		],
		["ln -s f g", "ln changes files, and ln is not on the list of what runs unasked without a sandbox"],
	] as const) {
		const made = await fixture({ mode: "auto" });
		const shown = answering(made, "no");
		await made.judge(bash(command));
		expect([command, shown[0]?.reason]).toEqual([command, reason]);
		expect([command, await outcomeOf({ mode: "auto", boundary: "sandbox" }, bash(command))]).toEqual([
			command,
			"allow",
		]);
	}
	expect(await (await fixture({ mode: "plan" })).judge(bash("docker ps"))).toContain(
		"docker is not on the list",
	);
});

test("a rule of the user allows what is not on the closed list, alone", async () => {
	const user = "permissions:\n  allow:\n    - Bash(docker ps:*)\n    - Bash(sort:*)\n";
	for (const mode of ["auto", "plan"] as const) {
		expect(await outcomeOf({ mode, user }, bash("docker ps -a | grep x"))).toBe("allow");
		expect(await outcomeOf({ mode, user }, bash("docker images"))).not.toBe("allow");
		expect(await outcomeOf({ mode, user }, bash("docker ps | xxd -r"))).not.toBe("allow");
	}
	expect(await outcomeOf({ mode: "auto", user }, bash("sort -T src f"))).toBe("allow");
	for (const command of ["sort -o f f", "sort -T src f"])
		expect([command, await outcomeOf({ mode: "plan", user }, bash(command))]).toEqual([command, "refuse"]);
});

test("a rule about a file counts for that file in a commit, and behind mv", async () => {
	const user = "permissions:\n  deny:\n    - Read(.env)\n";
	for (const command of ["git show HEAD:.env", "git cat-file -p HEAD:.env", "git -C sub show HEAD:.env"])
		expect([command, await outcomeOf({ mode: "auto", user }, bash(command))]).toEqual([command, "refuse"]);
	expect(await outcomeOf({ mode: "auto", user }, bash("git show HEAD:a.ts"))).toBe("allow");
	// Into the project itself, which is a directory.
	expect(await outcomeOf({ mode: "auto" }, bash("mv x/.mcp.json ."))).toBe("ask");
	expect(await outcomeOf({ mode: "auto", boundary: "sandbox" }, bash("mv x/y ."))).toBe("allow");
});
