/** The list of agents: what works now is on top. */
import { expect, test } from "bun:test";

import type { AgentFacts } from "@tau/wire";

import { frame, testScreen } from "../../testing/frames.ts";
import { agentHub } from "./hub.ts";

const agent = (id: string, more: Partial<AgentFacts> = {}): AgentFacts => ({
	id,
	name: id,
	model: "played/played-1",
	agent: "task",
	state: more.endedAt === undefined ? "running" : "completed",
	startedAt: 0,
	lastAction: "bash",
	turns: 1,
	tokens: 0,
	cost: 0,
	...more,
});

test("running agents come before those of earlier turns, each above its own", () => {
	const none = async (): Promise<undefined> => undefined;
	const agents = [
		agent("Old", { endedAt: 1000 }),
		agent("Older", { endedAt: 500 }),
		agent("Now"),
		agent("Below", { parentId: "Now", endedAt: 1500 }),
	];
	const hub = agentHub(testScreen(), {
		agents: () => agents,
		types: () => [],
		notes: () => [],
		queued: () => [],
		now: () => 2000,
		tab: "agents",
		open: none,
		stop: none,
		message: none,
		move: none,
		edit: none,
		create: none,
		close() {},
	});
	expect(
		frame(hub, 100)
			.match(/Now|Below|Older|Old/g)
			?.slice(0, 4),
	).toEqual(["Now", "Below", "Old", "Older"]);
});
