/** Agents in trees of their own: their changes are merged when they are done, and kept otherwise. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { hostOf, on, resultIn, taskCall, withAgents } from "../../../../test/support/agents.ts";
import { callOf, type ExtensionFixture } from "../../../../test/support/extensions.ts";

/** A project, so that there is something to isolate. */
function project(fixture: ExtensionFixture, files: Readonly<Record<string, string>>): string {
	const { cwd } = hostOf(fixture).state;
	mkdirSync(join(cwd, ".git"), { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
	return cwd;
}

const isolated = { isolation: "auto" };

test("what an agent changes is merged when it is done, and can be restored with the session's message", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", ...isolated }),
		callOf("bash", { command: "echo new > made.txt && echo changed > a.txt && [ ! -e ../a.txt ]" }),
		"Done with it.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, { "a.txt": "old\n" });
		const seen: boolean[] = [];
		hostOf(fixture).subscribe((event) => {
			if (event.type === "child_event" && event.event.type === "tool_execution_end")
				seen.push(existsSync(join(cwd, "made.txt")));
		});
		await fixture.prompt("go");
		expect(seen).toEqual([false]);
		expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("changed\n");
		expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("new\n");
		expect(resultIn(fixture)).toContain("Merged into the project: ");
		expect(resultIn(fixture)).toContain("made.txt (created)");
	});
});

test("agents that change the same file do not overwrite each other: the conflict comes back", async () => {
	const change = (text: string) => callOf("bash", { command: `echo ${text} > a.txt` }).answer;
	const steps: (Step | string)[] = [
		taskCall(
			{ assignment: "write apples", name: "A", ...isolated },
			{ assignment: "write pears", name: "B", ...isolated },
		),
		on("write apples", change("apples")),
		on("write pears", change("pears")),
	];
	await withAgents(
		steps,
		async (fixture) => {
			const cwd = project(fixture, { "a.txt": "old\n" });
			await fixture.prompt("go");
			const text = resultIn(fixture);
			expect(["apples\n", "pears\n"]).toContain(readFileSync(join(cwd, "a.txt"), "utf8"));
			expect(text).toContain("Not merged because of conflicts");
			expect(text).toMatch(/<<<<<<<[^]*apples[^]*>>>>>>>|<<<<<<<[^]*pears[^]*>>>>>>>/);
		},
		{ fallback: "Written." },
	);
});

test("half a work is not merged: it is kept, and named", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", budget: { turns: 1 }, ...isolated }),
		callOf("bash", { command: "echo half > half.txt" }),
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, {});
		await fixture.prompt("go");
		expect(existsSync(join(cwd, "half.txt"))).toBe(false);
		const [, directory = ""] =
			/1 changed file is not merged. The changes are kept in (\S+)\./.exec(resultIn(fixture)) ?? [];
		expect(existsSync(directory)).toBe(true);
	});
});

test("work of an agent that ends in plan mode is kept, not merged", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", ...isolated }),
		callOf("bash", { command: "echo new > made.txt" }),
		"Done with it.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, {});
		const host = hostOf(fixture);
		host.subscribe((event) => {
			if (event.type === "child_event" && event.event.type === "tool_execution_end")
				host.policy?.setMode("plan");
		});
		await fixture.prompt("go");
		expect(existsSync(join(cwd, "made.txt"))).toBe(false);
		const [, directory = ""] =
			/not merged, because the session is in plan mode\. The changes are kept in (\S+)\./.exec(
				resultIn(fixture),
			) ?? [];
		expect(existsSync(directory)).toBe(true);
	});
});

test("where no tree can be made, the agent does not start", async () => {
	const steps: (Step | string)[] = [taskCall({ assignment: "work" }), "Done."];
	await withAgents(steps, async (fixture) => {
		await hostOf(fixture).apply({ type: "setting", path: "task.isolation.mode", value: "worktree" });
		await fixture.prompt("go");
		expect(resultIn(fixture)).toContain("git does not run in a project that is not trusted");
		expect(fixture.played.requests).toHaveLength(2);
	});
});
