/** Agents in trees of their own: their changes are merged when they are done, and kept otherwise. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";
import type { SessionHost, UserRequestOf } from "@tau/session/host";

import { hostOf, on, resultIn, taskCall, withAgents } from "../../../../test/support/agents.ts";
import { callOf, type ExtensionFixture } from "../../../../test/support/extensions.ts";

/** A project, so that there is something to isolate. */
function project(fixture: ExtensionFixture, files: Readonly<Record<string, string>>): string {
	const { cwd } = hostOf(fixture).state;
	mkdirSync(join(cwd, ".git"), { recursive: true });
	for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
	return cwd;
}

async function useCopies(host: SessionHost): Promise<void> {
	await host.apply({ type: "setting", path: "task.isolation.mode", value: "copy" });
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
		hostOf(fixture).attach({
			onEvent: (event) => {
				if (event.type === "child_event" && event.event.type === "tool_execution_end")
					seen.push(existsSync(join(cwd, "made.txt")));
			},
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

test("a task cannot take away the tree that the user has set", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", isolation: "none" }),
		callOf("bash", { command: "echo new > made.txt" }),
		"Done with it.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, {});
		await useCopies(hostOf(fixture));
		const seen: boolean[] = [];
		hostOf(fixture).attach({
			onEvent: (event) => {
				if (event.type === "child_event" && event.event.type === "tool_execution_end")
					seen.push(existsSync(join(cwd, "made.txt")));
			},
		});
		await fixture.prompt("go");
		expect(seen).toEqual([false]);
		expect(resultIn(fixture)).toContain("made.txt (created)");
	});
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
		host.attach({
			onEvent: (event) => {
				if (event.type === "child_event" && event.event.type === "tool_execution_end")
					host.policy?.setMode("plan");
			},
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

/** A script in a tree writes what a direct write would be asked about. */
const protectedWork: (Step | string)[] = [
	taskCall({ assignment: "work", name: "Worker" }),
	callOf("bash", { command: "sh work.sh && echo new > made.txt" }),
	"Done with it.",
	"Done.",
];

const script = "mkdir -p .tau && echo 'hooks: {}' > .tau/config.yml\n";

for (const choice of ["once", "no"])
	test(`a protected file in a tree is asked about before it is merged: ${choice}`, async () => {
		await withAgents(protectedWork, async (fixture) => {
			const cwd = project(fixture, { "work.sh": script });
			const host = hostOf(fixture);
			await useCopies(host);
			const seen: UserRequestOf<"approval">[] = [];
			using _user = host.requests.connect({
				kinds: new Set(["approval"]),
				open(request) {
					if (request.kind !== "approval") return;
					seen.push(request);
					host.answer(request.id, { choice });
				},
			});
			await fixture.prompt("go");
			expect(seen).toMatchObject([
				{
					agent: "Worker",
					call: { toolName: "merge" },
					preview: { text: expect.stringContaining("+hooks: {}") },
				},
			]);
			expect(existsSync(join(cwd, "made.txt"))).toBe(true);
			expect(existsSync(join(cwd, ".tau/config.yml"))).toBe(choice === "once");
			const kept = /Not merged, and kept in (\S+): \.tau\/config\.yml \(the user has declined it\)/;
			expect(kept.test(resultIn(fixture))).toBe(choice === "no");
		});
	});

test("a protected file in a tree stays there where nobody can answer", async () => {
	await withAgents(protectedWork, async (fixture) => {
		const cwd = project(fixture, { "work.sh": script });
		await useCopies(hostOf(fixture));
		await fixture.prompt("go");
		expect(existsSync(join(cwd, "made.txt"))).toBe(true);
		expect(existsSync(join(cwd, ".tau"))).toBe(false);
		const [, directory = ""] =
			/Not merged, and kept in (\S+): \.tau\/config\.yml/.exec(resultIn(fixture)) ?? [];
		expect(readFileSync(join(directory, "tree/.tau/config.yml"), "utf8")).toBe("hooks: {}\n");
	});
});

test("a yes to a merge does not count any more once the session is in plan mode", async () => {
	await withAgents(protectedWork, async (fixture) => {
		const cwd = project(fixture, { "work.sh": script });
		const host = hostOf(fixture);
		await useCopies(host);
		using _user = host.requests.connect({
			kinds: new Set(["approval"]),
			open(request) {
				if (request.kind !== "approval") return;
				host.policy?.setMode("plan");
				host.answer(request.id, { choice: "once" });
			},
		});
		await fixture.prompt("go");
		expect(existsSync(join(cwd, ".tau"))).toBe(false);
		expect(existsSync(join(cwd, "made.txt"))).toBe(false);
		expect(resultIn(fixture)).toContain("made.txt (the session is in plan mode)");
	});
});

test("files of a tree in Tau's own directory are written without a question", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker" }),
		callOf("write", { path: "made.txt", content: "new\n" }),
		"Done with it.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, {});
		await useCopies(hostOf(fixture));
		await fixture.prompt("go");
		expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("new\n");
		expect(resultIn(fixture)).toContain("made.txt (created)");
	});
});

test("an isolated agent that is asked again works in a new tree, which is merged too", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker" }),
		callOf("bash", { command: "echo one > one.txt" }),
		"Done with it.",
		"Done.",
		callOf("bash", { command: "cat one.txt; echo two > two.txt" }),
		"Done again.",
	];
	await withAgents(steps, async (fixture, events) => {
		const cwd = project(fixture, {});
		const host = hostOf(fixture);
		await useCopies(host);
		await fixture.prompt("go");
		const seen: boolean[] = [];
		host.attach({
			onEvent: (event) => {
				if (event.type === "child_event" && event.event.type === "tool_execution_end")
					seen.push(existsSync(join(cwd, "two.txt")));
			},
		});
		const { signal } = new AbortController();
		const { end, merge } = await host.work.askAgent("Worker", { question: "and two?", signal });
		expect({ end, merge }).toEqual({
			end: "completed",
			merge: "Merged into the project: two.txt (created).",
		});
		expect(seen).toEqual([false]);
		expect(readFileSync(join(cwd, "two.txt"), "utf8")).toBe("two\n");
		expect(JSON.stringify(events)).toContain("Done again.");
		// A restart knows it from the agent's log.
		host.children.tree.clear();
		expect(host.children.isolationOf("Worker")).toBe("copy");
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

test("a task that asks for isolation gets the kind of tree that the settings name", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", ...isolated }),
		"Done.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		project(fixture, { "a.txt": "old\n" });
		const host = hostOf(fixture);
		await useCopies(host);
		await fixture.prompt("go");
		expect(host.children.isolationOf("Worker")).toBe("copy");
	});
});

test("in the mode ask, what the user approved in the tree is merged without another question", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "work", name: "Worker", ...isolated }),
		callOf("write", { path: "made.txt", content: "new\n" }),
		"Done with it.",
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		const cwd = project(fixture, { "a.txt": "old\n" });
		const host = hostOf(fixture);
		await useCopies(host);
		host.policy?.setMode("ask");
		const asked: string[] = [];
		using _user = host.requests.connect({
			kinds: new Set(["approval"]),
			open(request) {
				if (request.kind !== "approval") return;
				asked.push(request.call.toolName);
				host.answer(request.id, { choice: "once" });
			},
		});
		await fixture.prompt("go");
		expect(asked).toEqual(["write"]);
		expect(readFileSync(join(cwd, "made.txt"), "utf8")).toBe("new\n");
	});
});
