/** Tasks on one machine: added, done by a worker of the daemon, and merged. */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launchFleet } from "./fleet.ts";

const test = needs("git");

const write = (path: string, content: string) => ({
	answer: { blocks: [{ toolCall: { name: "write", arguments: { path, content } } }] },
});

test("a task whose budget is used up has failed, with what it did so far, and is not tried again", async () => {
	const usage = { input: 1000, output: 100 };
	const { answer } = write("made.txt", "half\n");
	await using fleet = await launchFleet({ steps: [{ answer: { ...answer, usage } }, "never"] });
	const [id = ""] = await fleet.add("make a file", "--budget", "0.004");
	const failed = await fleet.untilTask(id, ({ state }) => state === "done" || state === "failed");
	expect(failed).toMatchObject({ state: "failed", lease: 1, progress: { cost: expect.closeTo(0.0045) } });
	expect(failed.problem).toContain("The budget of $0.004 is used up");
	const { out, code } = await fleet.run(["task", "result", id]);
	expect([code, out.includes("+half")]).toEqual([1, true]);
	expect(fleet.played.requests).toHaveLength(1);
});

test("a task is done in a tree of its own, and its branch is merged when the user wants it", async () => {
	await using fleet = await launchFleet({ steps: [write("made.txt", "by the task\n"), "I made the file."] });
	const agents = join(fleet.agentDir, "agents");
	mkdirSync(agents);
	writeFileSync(
		join(agents, "careful.md"),
		"---\nname: careful\ndescription: takes care\ntools: Read, Write\n---\nCount the files twice.\n",
	);
	expect((await fleet.run(["task", "add", "x", "--agent", "nobody"])).err).toContain("There are: careful,");
	const [id = ""] = await fleet.add("make a file", "--agent", "careful");
	const done = await fleet.untilTask(id, ({ state }) => state === "done" || state === "failed");
	expect(done).toMatchObject({
		state: "done",
		lease: 1,
		result: { summary: "I made the file.", branch: `tau/${id}-1` },
	});
	expect(existsSync(join(fleet.project, "made.txt"))).toBe(false);
	expect(fleet.git("for-each-ref", "--format=%(refname)")).toBe(`refs/heads/main\nrefs/heads/tau/${id}-1`);
	const shown = await fleet.run(["task", "result", id]);
	expect(shown.out).toContain("+by the task");
	const merged = await fleet.run(["task", "merge", id]);
	expect(merged.out).toBe(`Merged tau/${id}-1.\n`);
	expect(readFileSync(join(fleet.project, "made.txt"), "utf8")).toBe("by the task\n");
	expect(fleet.git("branch", "--list", "tau/*")).toBe("");
	expect(fleet.leftovers()).toEqual([]);
	const log = await fleet.run(["task", "logs", id]);
	expect(log.out).toContain("> make a file");
	expect(log.out).toContain("I made the file.");
	// It worked as the agent, with its tools alone.
	const [request] = fleet.played.requests;
	expect(request?.rawBody).toContain("Count the files twice.");
	const { tools = [] } = (request?.body ?? {}) as { tools?: { name: string }[] };
	expect(tools.map(({ name }) => name).toSorted()).toEqual(["read", "write"]);
	// What it did can be played again.
	const { out: cassette } = await fleet.run(["task", "cassette", id, "made.cassette"]);
	expect(cassette).toBe(`${join(fleet.project, "made.cassette")}\n`);
	const { out: facts } = await fleet.run(["cassette", "show", "made.cassette"]);
	expect(facts).toMatch(/requests\s+2, 2 with their raw streams/);
});
