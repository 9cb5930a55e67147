/** Plan mode ends with a plan: approved, changed, sent back, or carried out in a new session. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { playModel } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { SessionHost } from "@tau/session/host";
import { todoPhases } from "@tau/tools/todo";
import type { UserAnswer, UserRequest } from "@tau/wire";

import { callOf, extensionFixtureWith, type ExtensionFixture } from "../../../../test/support/extensions.ts";

const openFixture = extensionFixtureWith(playModel);
const plan = callOf("submit_plan", { plan: "# Plan\n\nChange a.ts.", steps: ["read a.ts", "change a.ts"] });

async function planned(
	steps: Parameters<typeof openFixture>[0]["steps"],
	answers: readonly object[],
	work: (fixture: ExtensionFixture, host: SessionHost, asked: UserRequest[]) => Promise<void>,
	window: { contextWindow?: number } = {},
): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "tau-plan-"));
	try {
		using log = SessionManager.create(directory, join(directory, "sessions"));
		await using fixture = await openFixture(
			{ steps },
			{ log, tools: ["read", "bash", "todo", "submit_plan"], ...window },
		);
		const { host } = fixture.extensions.runner.bound;
		const asked: UserRequest[] = [];
		const queue = [...answers];
		using _client = host.requests.connect({
			kinds: new Set(["questions", "dialog"]),
			open(request) {
				asked.push(request);
				host.requests.answer(request.id, queue.shift() as UserAnswer);
			},
		});
		host.policy?.setMode("ask");
		host.policy?.setMode("plan");
		await work(fixture, host, asked);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

const choose = (label: string, text?: string): object => ({
	answers: [{ id: "plan", chosen: [label], ...(text === undefined ? {} : { text }) }],
});

test("an approved plan is the todo list and an artifact, and the mode from before is back", async () => {
	await planned([plan, "Working."], [choose("Approve")], async (fixture, host, asked) => {
		const toolsIn = (): boolean => host.session.state.tools.some(({ name }) => name === "submit_plan");
		expect(toolsIn()).toBe(true);
		await fixture.prompt("plan it");
		expect(asked).toMatchObject([{ questions: [{ question: expect.stringContaining("Change a.ts.") }] }]);
		expect(host.policy?.mode).toBe("ask");
		expect(toolsIn()).toBe(false);
		expect(todoPhases(fixture.extensions.runner.bound.env)).toEqual([
			{
				name: "Plan",
				tasks: [
					{ content: "read a.ts", status: "in_progress" },
					{ content: "change a.ts", status: "pending" },
				],
			},
		]);
		expect(fixture.request(1)).toContain("The user approved the plan. Plan mode has ended");
		const beside = (host.log.getSessionFile() ?? "").replace(/\.jsonl$/, "");
		const name = readdirSync(beside).find((file) => file.includes(".plan.")) ?? "";
		expect(readFileSync(join(beside, name), "utf8")).toContain("Change a.ts.");
	});
});

test("a plan that is sent back continues in plan mode, with the user's words", async () => {
	await planned(
		[plan, "Again."],
		[choose("Keep planning, with feedback", "Test it first.")],
		async (fixture, host) => {
			await fixture.prompt("plan it");
			expect(fixture.request(1)).toContain("The user sent the plan back: Test it first.");
			expect(host.policy?.mode).toBe("plan");
		},
	);
});

test("an edited plan is what is approved", async () => {
	const changed = "# Plan\n\nChange b.ts.\n\n## Steps\n\n# Plan\n- [ ] change b.ts\n";
	const answers = [choose("Edit the plan"), { value: changed }, choose("Approve")];
	await planned([plan, "Working."], answers, async (fixture, _host, asked) => {
		await fixture.prompt("plan it");
		expect(asked.map(({ kind }) => kind)).toEqual(["questions", "dialog", "questions"]);
		expect(asked[1]).toMatchObject({
			dialog: { method: "editor", prefill: expect.stringContaining("change a.ts") },
		});
		expect(fixture.request(1)).toContain("Change b.ts.");
		const tasks = todoPhases(fixture.extensions.runner.bound.env).flatMap((phase) => phase.tasks);
		expect(tasks).toEqual([{ content: "change b.ts", status: "in_progress" }]);
	});
});

test("an approved plan and its steps are within reach after a compaction", async () => {
	const steps = [plan, "Working.", "Two.", "Three.", "Summed up.", "Going on."];
	await planned(
		steps,
		[choose("Approve")],
		async (fixture) => {
			await fixture.prompt("plan it");
			const long = "word ".repeat(2000);
			for (const text of [long, long]) await fixture.prompt(text);
			await fixture.session.compact();
			await fixture.prompt("go on");
			const last = fixture.played.requests.at(-1)?.rawBody ?? "";
			expect(last).not.toContain("Plan mode has ended");
			expect(last).toMatch(/<decisions-of-the-user>.*- The user approved the plan in artifact:\/\/0\./s);
			expect(last).toMatch(/<todo-list>.*change a\.ts/s);
		},
		{ contextWindow: 10_000 },
	);
});

test("in a fresh context, a new session gets the plan alone", async () => {
	await planned([plan, "Working."], [choose("Approve in a fresh context")], async (fixture, host) => {
		const first = host.log.getSessionFile();
		const ended = Promise.withResolvers<void>();
		host.attach({
			onEvent: (event) => {
				if (event.type === "agent_end" && host.log.getSessionFile() !== first) ended.resolve();
			},
		});
		await fixture.prompt("plan it, secretly");
		await ended.promise;
		expect(dirname(host.log.getSessionFile() ?? "")).toBe(dirname(first ?? ""));
		const last = fixture.played.requests.at(-1)?.rawBody ?? "";
		expect(last).toContain("Carry out this plan");
		expect(last).not.toContain("secretly");
		expect(host.policy?.mode).toBe("ask");
	});
});
