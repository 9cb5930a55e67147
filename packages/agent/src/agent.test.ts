/** An agent keeps its conversation, emits events, and can be steered, reconfigured and stopped. */
import { describe, expect, test } from "bun:test";

import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";

import { Agent, type AgentOptions } from "./agent.ts";
import { modelAt, textOutcome, tool } from "./testing/collect.ts";
import { asks, call } from "./testing/script.ts";
import type { AgentMessage } from "./types.ts";

async function withModel(
	steps: Scenario["steps"],
	body: (agent: Agent, played: PlayedModel) => Promise<void>,
	options: Partial<AgentOptions> = {},
): Promise<void> {
	await using played = await playModel({ steps });
	await body(new Agent({ model: modelAt(played.anthropicUrl), getApiKey: () => "key", ...options }), played);
}

function user(text: string): AgentMessage {
	return { role: "user", content: text, timestamp: 1 };
}

const roles = (agent: Agent): string[] => agent.state.messages.map(({ role }) => role);

test("a conversation grows from prompt to prompt", async () => {
	await withModel(["One.", "Two."], async (agent, played) => {
		await agent.prompt("first");
		await agent.prompt(user("second"));
		expect(roles(agent)).toEqual(["user", "assistant", "user", "assistant"]);
		expect(played.requests[1]?.rawBody).toMatch(/first.*One\..*second/);
	});
});

test("listeners receive every event in order, and the run waits for them", async () => {
	await withModel(["Hello."], async (agent) => {
		const events: string[] = [];
		using _ = agent.subscribe(async (event) => {
			await Promise.resolve();
			events.push(event.type);
		});
		await agent.prompt("hi");
		expect(events[0]).toBe("agent_start");
		expect(events.at(-1)).toBe("agent_end");
	});
});

test("the state describes the current run", async () => {
	const seen: { streaming: boolean; pending: number; partial: boolean }[] = [];
	const slow = tool("slow", async () => textOutcome("done"));
	await withModel(
		[asks(call("slow", { a: 1 })), "Done."],
		async (agent) => {
			using _ = agent.subscribe((event) => {
				if (event.type !== "tool_execution_start" && event.type !== "message_update") return;
				const { isStreaming, pendingToolCalls, streamMessage } = agent.state;
				seen.push({
					streaming: isStreaming,
					pending: pendingToolCalls.size,
					partial: streamMessage !== undefined,
				});
			});
			await agent.prompt("go");
			expect(seen[0]).toEqual({ streaming: true, pending: 0, partial: true });
			expect(seen).toContainEqual({ streaming: true, pending: 1, partial: false });
			expect(agent.state).toMatchObject({ isStreaming: false, pendingToolCalls: new Set() });
			expect("streamMessage" in agent.state).toBe(false);
		},
		{ tools: [slow] },
	);
});

test("a switch of model and thinking takes effect at the next request of the same run", async () => {
	const switching = tool("work", async () => textOutcome("ok"));
	await withModel(
		[asks(call("work", { a: 1 })), "Done."],
		async (agent, played) => {
			using _ = agent.subscribe((event) => {
				if (event.type !== "tool_execution_end") return;
				agent.setModel({ ...agent.state.model, id: "other", reasoning: true, maxTokens: 20_000 });
				agent.setThinkingLevel("high");
				agent.setSystemPrompt("Be loud.");
			});
			await agent.prompt("go");
			const [first, second] = played.requests.map((request) => request.body as Record<string, unknown>);
			expect(first).toMatchObject({ model: "played-1" });
			expect(second).toMatchObject({ model: "other", thinking: { type: "enabled" } });
			expect(played.requests[1]?.rawBody).toContain("Be loud.");
		},
		{ tools: [switching], systemPrompt: "Be brief." },
	);
});

describe("queued messages", () => {
	test("are visible, can be dequeued, and are sent to the model in time", async () => {
		await withModel(["One.", "Two.", "Three."], async (agent, played) => {
			agent.steer(user("steer"));
			agent.followUp(user("follow"));
			agent.followUp(user("oops"));
			expect(agent.state.followUps.length).toBe(2);
			agent.steer(user("no"));
			expect(agent.dequeueLast()).toEqual(user("no"));
			agent.clearQueues();
			agent.steer(user("steer"));
			agent.followUp(user("follow"));
			await agent.prompt("go");
			expect(agent.state).toMatchObject({ steering: [], followUps: [] });
			expect(played.requests[2]?.rawBody).toMatch(/go.*steer.*follow/);
		});
	});

	test("are dequeued from the last one on, across both queues", async () => {
		await withModel([], async (agent) => {
			agent.followUp(user("one"));
			agent.steer(user("two"));
			agent.followUp(user("three"));
			agent.steer(user("four"));
			const dequeued = Array.from({ length: 5 }, () => agent.dequeueLast());
			expect(dequeued).toEqual([user("four"), user("three"), user("two"), user("one"), undefined]);
		});
	});

	test("come back in order when the queues are cleared", async () => {
		await withModel([], async (agent) => {
			agent.followUp(user("last"));
			agent.steer(user("first"));
			expect(agent.clearQueues()).toEqual([user("first"), user("last")]);
		});
	});
});

test("an abort ends the run, is reported as an abort, and the agent is free again", async () => {
	const answer = { blocks: [{ text: "a long answer", chunks: 6 }] };
	await withModel([{ answer, fault: { pauseMs: 60_000, afterChunks: 2 } }, "Back."], async (agent) => {
		using _ = agent.subscribe((event) => {
			if (event.type === "message_update") agent.abort();
		});
		await agent.prompt("go");
		await agent.waitForIdle();
		expect(agent.state.messages.at(-1)).toMatchObject({ stopReason: "aborted" });
		expect(agent.state.error).toBe("Request was aborted");
	});
});

test("a second prompt during a run is refused, with an error that names the alternatives", async () => {
	await withModel([{ fault: { silent: true } }], async (agent, played) => {
		const running = agent.prompt("go");
		await played.waitForRequest(1);
		expect(agent.prompt("again")).rejects.toThrow("busy");
		agent.abort();
		await running;
	});
});

test("clearMessages begins a new conversation", async () => {
	await withModel(["One.", "Two."], async (agent, played) => {
		await agent.prompt("first");
		agent.clearMessages();
		expect(agent.state.messages).toEqual([]);
		await agent.prompt("second");
		expect(played.requests[1]?.rawBody).not.toContain("first");
	});
});

test("after a failure, the run continues from the same conversation", async () => {
	await withModel([{ fault: { http: 500 } }, "Now."], async (agent, played) => {
		await agent.prompt("go");
		expect(agent.state.error).toContain("500");
		agent.replaceMessages(agent.state.messages.slice(0, -1));
		await agent.continue();
		expect(roles(agent)).toEqual(["user", "assistant"]);
		expect(agent.state.error).toBeUndefined();
		expect(played.requests.length).toBe(2);
		expect(agent.continue()).rejects.toThrow("Send a prompt first");
	});
});

test("images and the text of documents reach the model; the rest of an attachment does not", async () => {
	await withModel(["Seen."], async (agent, played) => {
		agent.setModel({ ...agent.state.model, input: ["text", "image"] });
		const about = { size: 3, preview: "cHJldmlldw==" };
		await agent.prompt("look", [
			{ ...about, id: "1", type: "image", fileName: "a.png", mimeType: "image/png", content: "aW1n" },
			{
				...about,
				id: "2",
				type: "document",
				fileName: "b.pdf",
				mimeType: "application/pdf",
				content: "cGRm",
				extractedText: "says this",
			},
			{
				...about,
				id: "3",
				type: "document",
				fileName: "c.bin",
				mimeType: "application/octet-stream",
				content: "YmluYXJ5",
			},
		]);
		const body = played.requests[0]?.rawBody ?? "";
		for (const part of ["look", "aW1n", "says this"]) expect(body).toContain(part);
		for (const part of ["cGRm", "YmluYXJ5", "cHJldmlldw", "b.pdf"]) expect(body).not.toContain(part);
	});
});
