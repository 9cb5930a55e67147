/** Messages between agents: they arrive while the others work, within bounds, and clients see them. */
import { expect, test } from "bun:test";

import type { Step } from "@tau/ai/testing";

import { hostOf, on, resultIn, taskCall, withAgents } from "../../../../test/support/agents.ts";
import { callOf } from "../../../../test/support/extensions.ts";

const irc = (args: Record<string, unknown>) => callOf("irc", args);

test("a message reaches a sibling while it works, and clients see it", async () => {
	const steps: (Step | string)[] = [
		taskCall(
			{ assignment: "talk loudly", name: "Talker" },
			{ assignment: "listen closely", name: "Listener" },
		),
		// The listener works until the message is there.
		on("listen closely", callOf("bash", { command: "until [ -e sent ]; do sleep 0.01; done" }).answer),
		on("talk loudly", irc({ op: "send", to: "Listener", message: "the word is tau" }).answer),
		on("Sent to Listener.", callOf("bash", { command: "touch sent" }).answer),
		on("the word is tau", "I received it."),
		"Talked.",
		"Done.",
	];
	await withAgents(
		steps,
		async (fixture, events) => {
			await fixture.prompt("go");
			const received = fixture.played.requests.find(
				({ rawBody }) => rawBody.includes("listen closely") && rawBody.includes("Message from agent Talker"),
			);
			expect(received?.rawBody).toContain("the word is tau");
			const wrapped = events.find(
				(event) => event.type === "child_event" && event.event.type === "child_message",
			);
			expect(wrapped).toMatchObject({ event: { from: "Talker", to: "Listener", text: "the word is tau" } });
			expect(hostOf(fixture).children.tree.messages.notes).toHaveLength(1);
		},
		{ tools: ["bash", "task", "irc"], fallback: "Fine." },
	);
});

test("the session has the tool only while it has agents in the background", async () => {
	const background = callOf("task", {
		tasks: [{ assignment: "wait a bit", name: "Late" }],
		background: true,
	});
	const steps: (Step | string)[] = [
		background,
		on("carry out one task", callOf("bash", { command: "sleep 100" }).answer),
		irc({ op: "stop", to: "Late" }),
		"Stopped it.",
	];
	await withAgents(
		steps,
		async (fixture) => {
			const host = hostOf(fixture);
			await fixture.prompt("go");
			expect(fixture.request(0)).not.toContain('"name":"irc"');
			expect(resultIn(fixture)).toBe("Stopped Late.");
			await host.waitForIdle();
			expect(host.children.tree.find("Late")?.state).toBe("aborted");
		},
		{ tools: ["bash", "task", "irc"], fallback: "Fine." },
	);
});

test("an agent cannot stop its sibling, and an unknown name lists who is there", async () => {
	const steps: (Step | string)[] = [
		taskCall({ assignment: "meddle", name: "Meddler" }),
		irc({ op: "stop", to: "main" }),
		irc({ op: "send", to: "Nobody", message: "hello" }),
		irc({ op: "list" }),
		"Done.",
		"Done.",
	];
	await withAgents(
		steps,
		async (fixture) => {
			await fixture.prompt("go");
			expect(fixture.request(2)).toContain("main is not an agent of yours.");
			expect(fixture.request(3)).toContain("No agent Nobody is running. Running: main.");
			expect(fixture.request(4)).toContain("Meddler (you): meddle");
		},
		{ tools: ["task", "irc"] },
	);
});

test("no agent has a name that means the session, all agents, or a channel", async () => {
	const names = ["main", "all", "#build", "../../x"];
	const steps = [taskCall(...names.map((name) => ({ assignment: "work", name })))];
	await withAgents(
		steps,
		async (fixture) => {
			await fixture.prompt("go");
			const ids = hostOf(fixture).children.tree.all.map(({ id }) => id);
			expect(ids.toSorted()).toEqual(["all-2", "build", "main-2", "x"]);
		},
		{ fallback: "Done." },
	);
});
