/** The tool `task`: agents with their own context report back, whatever happens to them. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";
import { artifactsDir } from "@tau/log";

import { hostOf, on, resultIn, resultsIn, taskCall, withAgents } from "../../../../test/support/agents.ts";
import { callOf } from "../../../../test/support/extensions.ts";

const scout = { agent: "explore", name: "Scout", assignment: "find the door" };

test("an agent works on its assignment alone and reports its last message", async () => {
	const steps = [taskCall(scout), callOf("bash", { command: "echo 1" }), "The door is in a.ts:3.", "Done."];
	await withAgents(steps, async (fixture, events) => {
		await fixture.prompt("the user's words");
		const child = fixture.request(1);
		expect(child).toContain("find the door");
		expect(child).not.toContain("the user's words");
		expect(resultIn(fixture)).toContain("[agent Scout (explore) completed");
		expect(resultIn(fixture)).toContain("The door is in a.ts:3.");
		expect(events.find(({ type }) => type === "child_started")).toMatchObject({
			id: "Scout",
			agent: "explore",
			task: "find the door",
		});
		expect(events.findLast(({ type }) => type === "child_progress")).toMatchObject({
			id: "Scout",
			state: "completed",
			turns: 2,
		});
		expect(hostOf(fixture).children.all).toEqual([]);
	});
});

test("an agent has the tools of its type, and none that only the session has", async () => {
	await withAgents([taskCall(scout, { assignment: "do it" }), "A", "B", "Done."], async (fixture) => {
		await fixture.prompt("go");
		const namesOf = (index: number): string[] =>
			[...fixture.request(index).matchAll(/"name":"(\w+)","description"/g)].map(([, name = ""]) => name);
		const requests = [1, 2].map((index) => [fixture.request(index), namesOf(index)] as const);
		const explore = requests.find(([body]) => body.includes("find the door"))?.[1];
		const task = requests.find(([body]) => body.includes("do it"))?.[1];
		expect(explore).toEqual(["read", "grep"]);
		expect(task).toEqual(["read", "write", "bash", "grep", "task"]);
	});
});

test("several agents work at the same time, and the results keep the order of the tasks", async () => {
	const steps = [
		taskCall({ assignment: "count apples", name: "A" }, { assignment: "count pears", name: "B" }),
		on("count pears", "2 pears"),
		on("count apples", { blocks: [{ text: "1 apple", chunks: 3 }], delayMs: 30 }),
		"Done.",
	];
	await withAgents(steps, async (fixture, events) => {
		await fixture.prompt("go");
		const text = resultIn(fixture);
		expect(text.indexOf("1 apple")).toBeLessThan(text.indexOf("2 pears"));
		const order = events.flatMap((event) =>
			event.type === "child_started" || event.type === "child_ended" ? [`${event.type} ${event.id}`] : [],
		);
		expect(order.slice(0, 2)).toEqual(["child_started A", "child_started B"]);
		// A's answer takes longer, but a busy machine may still read B's last.
		expect(order.slice(2).toSorted()).toEqual(["child_ended A", "child_ended B"]);
	});
});

test("what all tasks need to know is in each", async () => {
	const call = callOf("task", { context: "The port is 7.", tasks: [{ assignment: "one" }] });
	await withAgents([call, "A", "Done."], async (fixture) => {
		await fixture.prompt("go");
		expect(fixture.request(1)).toContain("The port is 7.");
	});
});

test("the log and the report of an agent are files beside the session, and names are given once", async () => {
	const steps = [taskCall(scout), "First.", taskCall(scout), "Second.", "Done."];
	await withAgents(steps, async (fixture) => {
		await fixture.prompt("go");
		const directory = artifactsDir(fixture.log.getSessionFile() ?? "");
		const names = readdirSync(directory).filter((name) => /\.(md|jsonl)$/.test(name));
		expect(names.toSorted()).toEqual(["Scout-2.jsonl", "Scout-2.md", "Scout.jsonl", "Scout.md"]);
		expect(readFileSync(join(directory, "Scout.md"), "utf8")).toBe("First.");
	});
});

test("an address of a long output in the report of an agent opens that output", async () => {
	const long = (word: string) => callOf("bash", { command: `echo ${word}; seq 1 30000` });
	const steps = [
		long("PARENT"),
		taskCall({ ...scout, agent: "task" }),
		long("CHILD"),
		"The full log is artifact://1.",
		callOf("read", { path: "artifact://1", limit: 1 }),
		callOf("read", { path: "artifact://0", limit: 1 }),
		"Done.",
	];
	await withAgents(steps, async (fixture) => {
		await fixture.prompt("go");
		expect(fixture.request(3)).toContain("artifact://1");
		const [child, parent] = resultsIn(fixture).slice(-2);
		expect(child).toContain("1  CHILD");
		expect(parent).toContain("1  PARENT");
	});
});

test("an agent of an earlier version finds its own outputs again", async () => {
	const steps = [taskCall(scout), "First.", "Done.", callOf("read", { path: "artifact://0" }), "Read."];
	await withAgents(steps, async (fixture) => {
		await fixture.prompt("go");
		const own = artifactsDir(join(artifactsDir(fixture.log.getSessionFile() ?? ""), "Scout.jsonl"));
		mkdirSync(own, { recursive: true });
		writeFileSync(join(own, "0.bash.log"), "OLD OUTPUT\n");
		await using agent = await hostOf(fixture).children.resume("Scout", new AbortController().signal);
		const again = await agent.host.submit({ text: "again" });
		if (again.kind === "begun") await again.done;
		expect(fixture.request(4)).toContain("OLD OUTPUT");
	});
});

describe("a schema", () => {
	const schema = {
		type: "object",
		properties: { count: { type: "integer" }, names: { type: "array", items: { type: "string" } } },
		required: ["count"],
	};
	const submit = (result: unknown) => callOf("submit_result", { result });

	test("makes the report data, which is checked and can be read in parts", async () => {
		const steps = [
			taskCall({ ...scout, schema }),
			submit({ count: "many" }),
			submit({ count: 2, names: ["a", "b"] }),
			callOf("read", { path: "agent://Scout/names/1" }),
			callOf("read", { path: "agent://Scout?q=.names[0]" }),
			callOf("read", { path: "agent://Scout/names?q=.count" }),
			callOf("read", { path: "agent://Scout/sizes" }),
			callOf("read", { path: "agent://Scot" }),
			"Done.",
		];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			expect(fixture.request(2)).toContain("does not fit the schema: count: must be integer, not");
			expect(fixture.request(3)).toContain('\\"count\\": 2');
			const results = resultsIn(fixture).slice(-5);
			expect(results).toEqual([
				expect.stringContaining("b"),
				expect.stringContaining("a"),
				expect.stringContaining("Use either a path or ?q=, not both."),
				expect.stringContaining("Scout has no sizes there. There is: count, names."),
				expect.stringContaining("Not found: Scot. Agents: Scout."),
			]);
			expect(fixture.played.requests).toHaveLength(9);
		});
	});

	test("with definitions reaches the model so that each reference leads somewhere", async () => {
		const self = { parent: { $ref: "#" }, first: { $ref: "#/properties/items" } };
		const items = { type: "array", items: { $ref: "#/$defs/item" } };
		const nested = { type: "object", properties: { items }, $defs: { item: { properties: self } } };
		const steps = [taskCall({ ...scout, schema: nested }), submit({ items: [{ parent: {} }] }), "Done."];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			const { tools } = JSON.parse(fixture.request(1)) as { tools: { name: string; input_schema: object }[] };
			const [root, first] = ["#/properties/result", "#/properties/result/properties/items"];
			expect(tools.find(({ name }) => name === "submit_result")?.input_schema).toMatchObject({
				properties: { result: { properties: { items } } },
				$defs: { item: { properties: { parent: { $ref: root }, first: { $ref: first } } } },
			});
			expect(resultIn(fixture)).toContain('"parent"');
		});
	});

	test("an agent that forgets to report is asked again, within bounds", async () => {
		const steps = [taskCall({ ...scout, schema }), "I think 3.", "Still 3.", "3!", "Done."];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			expect(fixture.request(2)).toContain("You have not reported a result yet.");
			expect(resultIn(fixture)).toContain("It returned no result, even after a retry.");
			expect(resultIn(fixture)).toContain("I think 3.");
			expect(fixture.played.requests).toHaveLength(5);
		});
	});

	test("wrong results end after a few, and the last one comes back with the reason", async () => {
		const wrong = submit({ count: "x" });
		await withAgents([taskCall({ ...scout, schema }), wrong, wrong, wrong, "Done."], async (fixture) => {
			await fixture.prompt("go");
			expect(resultIn(fixture)).toContain("Its result does not fit the schema: count");
			expect(resultIn(fixture)).toContain('"count": "x"');
			expect(fixture.played.requests).toHaveLength(5);
		});
	});

	test("that cannot be used is refused before an agent starts", async () => {
		const call = taskCall({ ...scout, schema: { type: "nonsense" } });
		await withAgents([call, "Done."], async (fixture) => {
			await fixture.prompt("go");
			expect(resultIn(fixture)).toContain("The schema cannot be used");
		});
	});
});

describe("something comes back", () => {
	test("when the model fails", async () => {
		const steps: (Step | string)[] = [
			taskCall({ assignment: "work" }),
			{
				answer: {
					blocks: [{ text: "I began." }, { toolCall: { name: "bash", arguments: { command: "true" } } }],
				},
			},
			{ fault: { http: 400 } },
			"Done.",
		];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			expect(resultIn(fixture)).toContain("[agent task (task) failed after 2 turns, ");
			expect(resultIn(fixture)).toContain("I began.");
		});
	});

	test("when its budget is spent", async () => {
		const call = callOf("bash", { command: "true" });
		const steps = [taskCall({ assignment: "work", budget: { turns: 2 } }), call, call, "Done."];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			expect(resultIn(fixture)).toContain(": The budget of 2 turns is used up.]");
			expect(resultIn(fixture)).toContain("- bash");
		});
	});

	test("when the user stops the run: the tree ends, with what there is", async () => {
		const steps: (Step | string)[] = [
			taskCall({ assignment: "work", name: "Slow" }),
			{
				answer: {
					blocks: [
						{ text: "Half of it." },
						{ toolCall: { name: "bash", arguments: { command: "sleep 100" } } },
					],
				},
			},
		];
		await withAgents(steps, async (fixture, events) => {
			const host = hostOf(fixture);
			const started = Promise.withResolvers<void>();
			host.attach({
				onEvent: (event) => {
					if (event.type === "child_event" && event.event.type === "tool_execution_start") started.resolve();
				},
			});
			const running = fixture.prompt("go");
			await started.promise;
			await host.stop();
			await running;
			expect(resultIn(fixture)).toContain("Half of it.");
			expect(resultIn(fixture)).toContain(": It was stopped.]");
			expect(events.find(({ type }) => type === "child_ended")).toMatchObject({ outcome: "aborted" });
			expect(host.children.all).toEqual([]);
		});
	});
});

describe("limits", () => {
	test("agents share the budget of the session", async () => {
		const call = callOf("bash", { command: "true" });
		const steps: (Step | string)[] = [
			taskCall({ assignment: "one", name: "A" }, { assignment: "two", name: "B" }),
			...Array.from({ length: 20 }, () => call),
		];
		await withAgents(
			steps,
			async (fixture) => {
				await hostOf(fixture).apply({ type: "setting", path: "budget.maxTurns", value: 6 });
				await fixture.prompt("go");
				// The first answer of the parent, then five turns of the two together.
				expect(fixture.played.requests.length).toBe(6);
				expect(resultIn(fixture)).toContain("stopped by its budget");
			},
			{ fallback: "Enough." },
		);
	});

	test.each([
		["budget.maxTokens", 1],
		["budget.maxCost", 0.000_000_1],
	] as const)("%s holds for the agents of the session", async (path, value) => {
		const call = callOf("bash", { command: "true" });
		const steps: (Step | string)[] = [
			taskCall({ assignment: "one", name: "A" }, { assignment: "two", name: "B" }),
			...Array.from({ length: 20 }, () => call),
		];
		await withAgents(steps, async (fixture) => {
			const host = hostOf(fixture);
			const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
			await host.apply({ type: "model", model: { ...host.session.model, cost } });
			await host.apply({ type: "setting", path, value });
			await fixture.prompt("go");
			// The answer that opens them has spent it all.
			expect(fixture.played.requests.length).toBe(1);
			expect(resultIn(fixture).match(/stopped by its budget/g)).toHaveLength(2);
		});
	});

	test("a time limit of the session ends its agents with their commands", async () => {
		const steps = [
			taskCall({ assignment: "one", name: "A" }),
			callOf("bash", { command: "sleep 1000 & echo $! > pid; wait" }),
		];
		await withAgents(steps, async (fixture, events) => {
			const host = hostOf(fixture);
			await host.apply({ type: "setting", path: "budget.maxSeconds", value: 1 });
			await fixture.prompt("go");
			expect(events.some((event) => event.type === "budget_exhausted")).toBe(true);
			expect(events.find(({ type }) => type === "child_ended")).toMatchObject({ id: "A" });
			const pid = Number(readFileSync(join(host.state.cwd, "pid"), "utf8"));
			while (existsSync(`/proc/${pid}`)) await Bun.sleep(2);
			expect(host.children.all).toEqual([]);
		});
	});

	test("an agent at the last level has no tool to open more", async () => {
		const steps = [
			taskCall({ assignment: "outer", name: "Outer" }),
			taskCall({ assignment: "inner", name: "Inner" }),
			"Inner done.",
			"Outer done.",
			"Done.",
		];
		await withAgents(steps, async (fixture, events) => {
			await fixture.prompt("go");
			const toolsOf = (index: number): string => JSON.stringify(fixture.played.requests[index]?.body);
			expect(toolsOf(1)).toContain('"name":"task"');
			expect(toolsOf(2)).not.toContain('"name":"task"');
			const nested = events.find(
				(event) => event.type === "child_event" && event.event.type === "child_started",
			);
			expect(nested).toMatchObject({ id: "Outer", event: { id: "Outer.Inner" } });
		});
	});

	test("a type that the user blocks, or that does not exist, is named", async () => {
		const call = taskCall({ ...scout, agent: "exploer" });
		await withAgents([call, "Done."], async (fixture) => {
			await fixture.prompt("go");
			expect(resultIn(fixture)).toContain("Task 1: There is no agent exploer. Did you mean explore?");
		});
	});

	test("TAU_BLOCKED_AGENT names a type that does not run", async () => {
		process.env.TAU_BLOCKED_AGENT = "explore";
		try {
			await withAgents([taskCall(scout), "Done."], async (fixture) => {
				await fixture.prompt("go");
				expect(resultIn(fixture)).toContain("Task 1: The agent explore is blocked (TAU_BLOCKED_AGENT).");
			});
		} finally {
			delete process.env.TAU_BLOCKED_AGENT;
		}
	});

	test("TAU_TASK_MAX_OUTPUT_BYTES bounds what is kept of a report", async () => {
		process.env.TAU_TASK_MAX_OUTPUT_BYTES = "10";
		try {
			await withAgents([taskCall(scout), "x".repeat(50), "Done."], async (fixture) => {
				await fixture.prompt("go");
				expect(resultIn(fixture)).toEndWith(`${"x".repeat(10)}\n[40 more characters were left out]`);
			});
		} finally {
			delete process.env.TAU_TASK_MAX_OUTPUT_BYTES;
		}
	});

	test("a long report is cut in the result, and whole at its address", async () => {
		const long = `${"line\n".repeat(5000)}the end`;
		const steps = [taskCall(scout), long, callOf("read", { path: "agent://Scout:5001-" }), "Done."];
		await withAgents(steps, async (fixture) => {
			await fixture.prompt("go");
			expect(fixture.request(2)).toContain("more characters: read agent://Scout]");
		});
	});

	test("no more agents than allowed work at once; the others wait", async () => {
		const tasks = ["a", "b", "c", "d"].map((name) => ({ assignment: `do ${name}`, name }));
		await withAgents(
			[taskCall(...tasks)],
			async (fixture, events) => {
				await hostOf(fixture).apply({ type: "setting", path: "task.maxConcurrency", value: 2 });
				await fixture.prompt("go");
				let [open, most] = [0, 0];
				for (const { type } of events) {
					if (type === "child_started") most = Math.max(most, ++open);
					if (type === "child_ended") open--;
				}
				expect([most, open]).toEqual([2, 0]);
				expect(resultIn(fixture).match(/completed after/g)).toHaveLength(4);
			},
			{ fallback: "Fine." },
		);
	});

	test("an explore agent cannot open others", async () => {
		await withAgents([taskCall(scout), "Nothing.", "Done."], async (fixture) => {
			await fixture.prompt("go");
			expect(JSON.stringify(fixture.played.requests[1]?.body)).not.toContain('"name":"task"');
		});
	});
});

test("an agent in the background sends a message when it ends", async () => {
	const call = callOf("task", { tasks: [{ ...scout }], background: true });
	const steps = [call, on("You explore a code base", "Found it."), "Waiting.", "Thanks."];
	await withAgents(steps, async (fixture) => {
		const host = hostOf(fixture);
		const delivered = Promise.withResolvers<void>();
		host.attach({
			onEvent: (event) => {
				if (event.type === "message_end" && JSON.stringify(event.message).includes("Found it."))
					delivered.resolve();
			},
		});
		await fixture.prompt("go");
		await delivered.promise;
		await host.waitForIdle();
		const results = host.session.state.messages.filter(({ role }) => role === "toolResult");
		expect(JSON.stringify(results)).toContain("Started in the background: Scout.");
		expect(existsSync(join(artifactsDir(fixture.log.getSessionFile() ?? ""), "Scout.md"))).toBe(true);
	});
});

test("what agents cost is in the session's log", async () => {
	await withAgents([taskCall(scout), "Found.", "Done."], async (fixture) => {
		await fixture.prompt("go");
		const usage = fixture.log.getEntries().filter(({ type }) => type === "usage");
		expect(usage).toHaveLength(1);
		expect(usage[0]).toMatchObject({ kind: "agent", note: "Scout" });
	});
});
