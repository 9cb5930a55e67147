/** A hundred agents with random failures, aborts and kills: each has a result, and nothing is left behind. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";
import type { SessionEvent } from "@tau/session";
import { artifactsDir } from "@tau/log";
import { localMachine } from "@tau/sys";
import { leftoverTrees, reopenTree } from "@tau/machines/isolation";

import { samples } from "../../../../test/support/depth.ts";
import { hostOf, resultIn, withAgents } from "../../../../test/support/agents.ts";
import { callOf } from "../../../../test/support/extensions.ts";

const count = samples(100, 20);
/** An argument that no other process has. */
const marker = `9${process.pid}.${Date.now() % 100_000}`;

/** The same numbers in each run. */
function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
		return state / 2 ** 31;
	};
}

const bash = (command: string) => callOf("bash", { command }).answer;

/** What may happen to an agent; `stop`: it is stopped as soon as it does something, or its command has printed something. */
const fates: { name: string; step: Omit<Step, "when">; stop?: "early" | "late" }[] = [
	{ name: "answers", step: { answer: "Fine." } },
	{ name: "works", step: { answer: bash("echo ok") } },
	{ name: "is refused", step: { fault: { http: 400 }, times: "always" } },
	{ name: "meets an overloaded server", step: { fault: { http: 529 }, times: "always" } },
	{ name: "loses its connection", step: { answer: "Half.", fault: { tornAtByte: 80 }, times: "always" } },
	{ name: "is never answered", step: { fault: { silent: true }, times: "always" }, stop: "early" },
	{ name: "hangs in a command", step: { answer: bash(`sleep ${marker}`) }, stop: "early" },
	{ name: "leaves a process", step: { answer: bash(`sleep ${marker} & echo left`) } },
	{ name: "changes a file", step: { answer: bash("echo new > made-$RANDOM.txt") } },
	{
		name: "changes a file and hangs",
		step: { answer: bash(`echo new > made-$RANDOM.txt; echo made; sleep ${marker}`) },
		stop: "late",
	},
	{ name: "kills its shell", step: { answer: bash("kill -9 $$") } },
	{ name: "ignores signals", step: { answer: bash(`trap '' TERM INT HUP; sleep ${marker}`) }, stop: "early" },
];

function processesWith(text: string): string[] {
	return readdirSync("/proc").filter((pid) => {
		try {
			return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
		} catch {
			// It has ended meanwhile.
			return false;
		}
	});
}

const assignmentOf = (at: number): string => `errand number ${at}.`;

test("nothing is orphaned, and every result is accounted for", async () => {
	// Of the first 20 as well, isolated agents change files, and one of them is stopped then.
	const next = random(19);
	const lots = Array.from(
		{ length: count },
		() => fates[Math.floor(next() * fates.length)] ?? { name: "", step: {} },
	);
	const tasks = lots.map((_, at) => ({
		assignment: assignmentOf(at),
		name: `Agent${at}`,
		...(at % 4 === 0 ? { isolation: "auto" } : {}),
	}));
	// One call takes at most 32 tasks; agents have another prompt.
	const main = { bodyContains: "You are Tau" };
	const calls = [0, 32, 64, 96]
		.filter((from) => from < count)
		.map((from): Step => ({ when: main, ...callOf("task", { tasks: tasks.slice(from, from + 32) }) }));
	// An agent that is stopped before its request leaves its step, which the session must not take.
	const done: Step = { when: main, answer: "Done.", times: "always" };
	const steps = lots.map(({ step }, at): Step => ({
		when: { bodyContains: `"${assignmentOf(at)}"` },
		...step,
	}));
	await withAgents(
		[...calls, done, ...steps],
		async (fixture, events) => {
			const host = hostOf(fixture);
			mkdirSync(join(host.state.cwd, ".git"));
			await host.apply({ type: "setting", path: "task.maxConcurrency", value: 16 });
			stopSome(host, lots);
			await fixture.prompt("go");
			const results = host.session.state.messages.filter(({ role }) => role === "toolResult");
			const text = JSON.stringify(results);
			for (const { name } of tasks) expect(text).toContain(`[agent ${name} (task) `);
			expect(resultIn(fixture)).not.toBe("");
			expect(kinds(events, "child_started")).toBe(count);
			expect(kinds(events, "child_ended")).toBe(count);
			expect(host.children.all).toEqual([]);
			expect(host.children.tree.all.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
			const files = readdirSync(artifactsDir(fixture.log.getSessionFile() ?? ""));
			expect(files.filter((name) => name.endsWith(".lock"))).toEqual([]);
			expect(files.filter((name) => name.endsWith(".md"))).toHaveLength(count);
			while (processesWith(marker).length > 0) await Bun.sleep(5);
			await expectOnlyWork(join(fixture.agentDir, "../state/trees"), text);
		},
		{ tools: ["bash", "task"], fallback: "Fine.", retries: 1 },
	);
});

/** Trees are kept for work that was not merged, and the results name them. */
async function expectOnlyWork(trees: string, results: string): Promise<void> {
	const { signal } = new AbortController();
	const left = leftoverTrees(trees);
	expect(left.length).toBeGreaterThan(0);
	for (const { path } of left) {
		await using tree = await reopenTree(localMachine(), path, signal);
		expect((await tree.changes(signal)).files).not.toEqual([]);
		expect(results).toContain(path);
	}
}

/** Stops an agent when its request or its command has begun, some time later or at once. */
function stopSome(
	host: ReturnType<typeof hostOf>,
	lots: readonly Pick<(typeof fates)[number], "stop">[],
): void {
	const stop = (id: string): void => void host.children.stopAgent(id);
	host.attach({
		onEvent: (event) => {
			if (event.type !== "child_event") return;
			const lot = lots[Number(event.id.slice("Agent".length))];
			const isStarted = event.event.type === "tool_execution_start" || event.event.type === "turn_start";
			if (lot?.stop === "late" ? event.event.type === "tool_execution_update" : lot?.stop && isStarted)
				setTimeout(stop, 50, event.id);
		},
	});
}

function kinds(events: readonly SessionEvent[], type: SessionEvent["type"]): number {
	return events.filter((event) => event.type === type).length;
}

test("the end of the session in the middle of it ends all of them", async () => {
	const tasks = Array.from({ length: 20 }, (_, at) => ({ assignment: assignmentOf(at), name: `Agent${at}` }));
	const own = `8${process.pid}.${Date.now() % 100_000}`;
	const hang = {
		when: { bodyContains: "errand number" },
		answer: bash(`sleep ${own}`),
		times: "always",
	} as const;
	await withAgents(
		[callOf("task", { tasks }), hang],
		async (fixture) => {
			const host = hostOf(fixture);
			await host.apply({ type: "setting", path: "task.maxConcurrency", value: 20 });
			const running = fixture.prompt("go");
			while (processesWith(own).length < 20) await Bun.sleep(5);
			await host[Symbol.asyncDispose]();
			await running;
			expect(processesWith(own)).toEqual([]);
			expect(host.children.all).toEqual([]);
			const files = readdirSync(join(artifactsDir(fixture.log.getSessionFile() ?? "")));
			expect(files.filter((name) => name.endsWith(".lock"))).toEqual([]);
		},
		{ tools: ["bash", "task"], fallback: "Fine." },
	);
});
