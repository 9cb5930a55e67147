/** Handlers of `before_subagent_spawn` decide whether an agent starts, and with which model. */
import { describe, expect, test } from "bun:test";

import { resultIn, taskCall, withAgents } from "../../../../test/support/agents.ts";

describe("an extension that handles before_subagent_spawn", () => {
	const handler = (body: string): string => `export default (pi) => pi.on("before_subagent_spawn", ${body});`;

	test("forbids agents, also those of agents, with its reason", async () => {
		const steps = [
			taskCall({ assignment: "outer", name: "Outer" }),
			taskCall({ assignment: "inner", name: "Inner", agent: "explore" }),
			"Refused.",
			"Done.",
		];
		const body = `({ agent, spawnKey, patterns }) =>
			agent === "explore" ? { block: true, reason: "No " + spawnKey + " with " + patterns } : undefined`;
		await withAgents(
			steps,
			async (fixture, events) => {
				await fixture.prompt("go");
				expect(fixture.request(2)).toContain("No Outer.Inner with ");
				expect(events.filter(({ type }) => type === "child_started")).toHaveLength(1);
			},
			{ files: { "gate.ts": handler(body) } },
		);
	});

	test("and fails lets no agent start", async () => {
		await withAgents(
			[taskCall({ assignment: "one" }), "Done."],
			async (fixture, events) => {
				await fixture.prompt("go");
				expect(resultIn(fixture)).toContain("The agent was not started");
				expect(events.filter(({ type }) => type === "child_started")).toEqual([]);
			},
			{ files: { "gate.ts": handler(`() => { throw new Error("broken"); }`) } },
		);
	});

	test("chooses the model, which the user reads about", async () => {
		const body = `() => ({ model: ["no/such-model"], note: "by quota" })`;
		await withAgents(
			[taskCall({ assignment: "one", name: "Scout" }), "A.", "Done."],
			async (fixture, events) => {
				await fixture.prompt("go");
				const notices = events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
				expect(notices).toEqual([
					"Agent Scout: by quota",
					expect.stringContaining("No usable model is called no/such-model."),
				]);
			},
			{ files: { "route.ts": handler(body) } },
		);
	});
});
