/** Plan mode without a sandbox that holds writes: the rules alone decide which commands run. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, bash, fixture, useDirectories } from "../../../../test/support/policy.ts";

let base = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-plan-test-")));
	useDirectories(base);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function commandsOf(name: string): string[] {
	const text = readFileSync(join(import.meta.dir, "fixtures", name), "utf8");
	return text.split("\n").filter((line) => line !== "" && !line.startsWith("# "));
}

/** The commands that run, unasked; a question would be answered with no. */
async function running(commands: readonly string[]): Promise<string[]> {
	const made = await fixture({ mode: "plan", boundary: "none" });
	const shown = answering(made, "no");
	const verdicts = await Promise.all(commands.map((command) => made.judge(bash(command))));
	expect(shown.length).toBeLessThan(commands.length / 20);
	return commands.filter((_, at) => verdicts[at] === "allow");
}

test("nearly all commands that read the files and the history of a project run without a question", async () => {
	const commands = commandsOf("plan-reads.txt");
	expect(commands.length).toBeGreaterThanOrEqual(150);
	const allowed = new Set(await running(commands));
	// The others are versions, packages, containers and services, which are not on the closed list.
	expect(allowed.size).toBeGreaterThanOrEqual(commands.length * 0.6);
	const reading = commands.filter((command) =>
		/^(?:ls|cat|head|tail|wc|grep|rg|fd|find|git|sort|cut|tr|sed|awk|jq|diff|tree) /.test(command),
	);
	const refused = reading.filter((command) => !allowed.has(command));
	expect(reading.length).toBeGreaterThan(90);
	expect({ refused, isEnough: refused.length <= reading.length * 0.06 }).toMatchObject({ isEnough: true });
});

test("no command that changes something, or may, runs", async () => {
	expect(await running(commandsOf("plan-writes.txt"))).toEqual([]);
});
