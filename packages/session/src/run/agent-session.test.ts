/** A conversation continues whatever its listeners do, keeps its messages, and can be aborted. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentTool } from "@tau/agent";
import type { AssistantMessage } from "@tau/ai";
import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import { onDispose } from "@tau/utils";

import { testModel, testSession } from "../../../../test/support/session.ts";
import { SessionManager } from "@tau/log";
import type { AgentSession } from "./agent-session.ts";
import type { AgentSessionOptions } from "./session-options.ts";
import type { Behavior, SessionEvent, SessionHandle } from "./behavior.ts";

interface Fixture extends AsyncDisposable {
	played: PlayedModel;
	session: AgentSession;
	/** The events that a subscriber received. */
	received: SessionEvent[];
}

async function openFixture(scenario: Scenario, more: Partial<AgentSessionOptions> = {}): Promise<Fixture> {
	const played = await playModel(scenario);
	const model = testModel({ api: "openai-completions", baseUrl: played.openaiUrl });
	const session = testSession(model, { systemPrompt: "Be brief.", ...more });
	const events: SessionEvent[] = [];
	session.subscribe((event) => void events.push(event));
	return {
		played,
		session,
		received: events,
		async [Symbol.asyncDispose]() {
			session[Symbol.dispose]();
			await played.close();
		},
	};
}

/** Roles and texts of the conversation that the n-th request carried. */
function sent(played: PlayedModel, number: number): unknown[] {
	const { body } = played.requests[number - 1] ?? {};
	if (typeof body !== "object" || body === null || !("messages" in body) || !Array.isArray(body.messages))
		return [];
	return body.messages.map(({ role, content }: { role: unknown; content: unknown }) => [role, content]);
}

function answerOf(text: string, totalTokens: number): AssistantMessage {
	const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens };
	return {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "openai-completions",
		provider: "played",
		model: "played-1",
		usage: { ...usage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
		stopReason: "stop",
		timestamp: 1,
	};
}

function behavior(attach: (session: SessionHandle) => Disposable): Behavior {
	return { name: "test", attach };
}

describe("a conversation", () => {
	test("is sent completely with every prompt", async () => {
		await using on = await openFixture({ steps: ["first answer", "second answer"] });
		await on.session.prompt({ text: "one" });
		await on.session.prompt({ text: "two" });
		expect(sent(on.played, 2)).toEqual([
			["system", "Be brief."],
			["user", "one"],
			["assistant", "first answer"],
			["user", "two"],
		]);
	});

	test("of a resumed session is read from its log by the first prompt, not when it is opened or counted", async () => {
		const home = mkdtempSync(join(tmpdir(), "tau-past-"));
		using log = SessionManager.create(home, join(home, "sessions"));
		log.appendMessage({ role: "user", content: "long ago", timestamp: 1 });
		log.appendMessage(answerOf("counted", 4000));
		const past = log.pastMessages();
		let reads = 0;
		const counting = { ...past, load: (signal: AbortSignal) => (reads++, past.load(signal)) };
		await using on = await openFixture({ steps: ["an answer"] }, { past: counting });
		on.session.append({ role: "user", content: "noted", timestamp: 2 });
		expect(on.session.contextUsage().tokens).toBeGreaterThanOrEqual(4000);
		expect(on.session.unreadPast).toBeDefined();
		expect(reads).toBe(0);
		await on.session.prompt({ text: "now" });
		expect(reads).toBe(1);
		expect(on.session.unreadPast).toBeUndefined();
		expect(sent(on.played, 1).flat()).toEqual([
			"system",
			"Be brief.",
			"user",
			"long ago",
			"assistant",
			"counted",
			"user",
			"noted",
			"user",
			"now",
		]);
		rmSync(home, { recursive: true, force: true });
	});

	test("keeps a prompt whose answer failed", async () => {
		await using on = await openFixture({ steps: [{ fault: { http: 500 } }, "now"] });
		await on.session.prompt({ text: "one" });
		await on.session.prompt({ text: "two" });
		const roles = sent(on.played, 2).flat();
		expect(roles).toContain("one");
		expect(roles).toContain("two");
	});

	test("includes images", async () => {
		await using on = await openFixture({ steps: ["a cat"] });
		await on.session.prompt({
			text: "what",
			images: [{ type: "image", mimeType: "image/png", data: "AAAA" }],
		});
		expect(on.played.requests[0]?.rawBody).toContain("data:image/png;base64,AAAA");
	});

	test("requests the key before every request, and sends its headers", async () => {
		const call = { answer: { blocks: [{ toolCall: { name: "none", arguments: {} } }] } };
		let requested = 0;
		await using on = await openFixture(
			{ steps: [call, "done"] },
			{ credentials: () => ({ apiKey: `key-${++requested}`, headers: { "x-team": "tau" } }) },
		);
		await on.session.prompt({ text: "go" });
		const [first, second] = on.played.requests.map(({ headers }) => headers);
		expect(first).toMatchObject({ "x-team": "tau" });
		expect(second?.authorization).not.toBe(first?.authorization);
	});

	test("accepts one prompt at a time, and the next one after it", async () => {
		await using on = await openFixture({ steps: ["one", "two"] });
		const first = on.session.prompt({ text: "a" });
		await expect(on.session.prompt({ text: "b" })).rejects.toThrow("Wait for it to finish, or abort it");
		await first;
		await on.session.prompt({ text: "c" });
		expect(on.played.requests).toHaveLength(2);
	});

	test("sends each request with its key's headers, to its key's base URL", async () => {
		await using other = await playModel({ steps: ["from elsewhere"] });
		let turn = 0;
		await using on = await openFixture(
			{ steps: ["from here"] },
			{
				credentials: async () => {
					turn++;
					const headers = { "x-turn": String(turn) };
					return turn === 1 ? { headers } : { headers, baseUrl: other.openaiUrl };
				},
			},
		);
		await on.session.prompt({ text: "a" });
		await on.session.prompt({ text: "b" });
		expect(on.played.requests.map(({ headers }) => headers["x-turn"])).toEqual(["1"]);
		expect(other.requests.map(({ headers }) => headers["x-turn"])).toEqual(["2"]);
	});

	test("continues after a failure of its credentials", async () => {
		let broken = true;
		await using on = await openFixture(
			{ steps: ["fine"] },
			{
				credentials: () => {
					if (broken) throw new Error("the key store is locked");
					return {};
				},
			},
		);
		await on.session.prompt({ text: "a" });
		expect(on.received.findLast(({ type }) => type === "message_end")).toMatchObject({
			message: { stopReason: "error", failure: { message: "the key store is locked" } },
		});
		broken = false;
		await on.session.prompt({ text: "b" });
		expect(on.received.at(-1)?.type).toBe("agent_end");
	});
});

describe("listeners", () => {
	test("behaviors get an event before all other listeners, and are awaited", async () => {
		const order: string[] = [];
		const slow = behavior((session) =>
			session.onBefore(["message_end"], async () => {
				await Promise.resolve();
				order.push("behavior");
			}),
		);
		await using on = await openFixture({ steps: ["hello"] }, { behaviors: [slow] });
		on.session.subscribe((event) => {
			if (event.type === "message_end") order.push("listener");
		});
		await on.session.prompt({ text: "hi" });
		expect(order).toEqual(["behavior", "listener", "behavior", "listener"]);
	});

	test("a behavior gets the events that it subscribed to, in their order, until it is detached", async () => {
		const [seen, all]: [string[], string[]] = [[], []];
		const narrow = behavior((session) => {
			const subscription = session.onAfter(["turn_end", "message_end", "agent_end"], ({ type }) => {
				seen.push(type);
				if (type === "agent_end") subscription[Symbol.dispose]();
			});
			return subscription;
		});
		const wide = behavior((session) => session.onBefore("all", ({ type }) => void all.push(type)));
		await using on = await openFixture({ steps: ["hello", "again"] }, { behaviors: [narrow, wide] });
		await on.session.prompt({ text: "hi" });
		await on.session.prompt({ text: "and again" });
		expect(seen).toEqual(["message_end", "message_end", "turn_end", "agent_end"]);
		expect(all).toContain("message_update");
		expect(all.filter((type) => type === "agent_end")).toHaveLength(2);
	});

	test("a behavior that another one detaches during an event does not get it", async () => {
		const seen: string[] = [];
		let later: Disposable | undefined;
		const first = behavior((session) => session.onBefore(["agent_start"], () => later?.[Symbol.dispose]()));
		const second = behavior((session) => {
			later = session.onBefore(["agent_start", "agent_end"], ({ type }) => void seen.push(type));
			return later;
		});
		await using on = await openFixture({ steps: ["hello"] }, { behaviors: [first, second] });
		await on.session.prompt({ text: "hi" });
		expect(seen).toEqual([]);
	});

	test("one that throws affects neither the run nor the others", async () => {
		const failing = behavior((session) =>
			session.onBefore("all", async () => {
				throw new Error("behavior");
			}),
		);
		await using on = await openFixture({ steps: ["hello", "again"] }, { behaviors: [failing] });
		using _bad = on.session.subscribe(() => {
			throw new Error("listener");
		});
		await on.session.prompt({ text: "hi" });
		await on.session.prompt({ text: "hi" });
		expect(on.received.filter(({ type }) => type === "agent_end")).toHaveLength(2);
	});

	test("one that was disposed of gets no more events", async () => {
		await using on = await openFixture({ steps: ["hello"] });
		let received = 0;
		on.session.subscribe(() => void received++)[Symbol.dispose]();
		await on.session.prompt({ text: "hi" });
		expect(received).toBe(0);
	});

	test("a detached behavior gets no more events, and all are detached with the session", async () => {
		let attached = 0;
		const counted = behavior(() => {
			attached++;
			return onDispose(() => attached--);
		});
		const on = await openFixture({ steps: [] }, { behaviors: [counted, counted] });
		expect(attached).toBe(2);
		await on[Symbol.asyncDispose]();
		expect(attached).toBe(0);
	});
});

test("a notice of a behavior reaches the listeners once, after the event that it is about", async () => {
	const noting = behavior((session) =>
		session.onBefore(["agent_end"], () => session.notice("warning", "the disk is full")),
	);
	await using on = await openFixture({ steps: ["hello", "again"] }, { behaviors: [noting] });
	await on.session.prompt({ text: "hi" });
	expect(on.received.slice(-2)).toMatchObject([
		{ type: "agent_end" },
		{ type: "notice", level: "warning", message: "the disk is full" },
	]);
	expect(on.received.filter(({ type }) => type === "notice")).toHaveLength(1);
});

describe("an abort", () => {
	const hanging = {
		answer: { blocks: [{ text: "a long answer", chunks: 13 }] },
		fault: { pauseMs: 60_000, afterChunks: 3 },
	};

	test("ends the answer, keeps its partial content, and the conversation continues", async () => {
		await using on = await openFixture({ steps: [hanging, "second"] });
		using _stop = on.session.subscribe((event) => {
			if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
				on.session.abort();
		});
		await on.session.prompt({ text: "one" });
		const ended = on.received.findLast((event) => event.type === "turn_end");
		expect(ended?.message.stopReason).toBe("aborted");
		const [block] = ended?.message.content ?? [];
		expect(block?.type === "text" ? block.text : "").toMatch(/^a/);
		await on.session.prompt({ text: "two" });
		expect(sent(on.played, 2).map((message) => (Array.isArray(message) ? message[0] : ""))).toEqual([
			"system",
			"user",
			"assistant",
			"user",
		]);
	});

	test("reaches a running tool", async () => {
		const waiting: AgentTool = {
			name: "wait",
			label: "Wait",
			description: "",
			parameters: { type: "object" },
			concurrency: "shared",
			approval: "read",
			validate: (value) => ({ ok: true, value }),
			execute: async (_id, _params, signal) => {
				const stopped = once(signal, "abort");
				on.session.abort();
				await stopped;
				return { content: [{ type: "text", text: "put away" }] };
			},
		};
		const call = { answer: { blocks: [{ toolCall: { name: "wait", arguments: {} } }] } };
		await using on = await openFixture({ steps: [call] }, { tools: [waiting] });
		await on.session.prompt({ text: "go" });
		expect(on.played.requests).toHaveLength(1);
		const done = on.received.find((event) => event.type === "tool_execution_end");
		expect(done?.result.content).toEqual([{ type: "text", text: "put away" }]);
	});

	test("without a run does nothing, and disposing of a session aborts its run", async () => {
		await using on = await openFixture({ steps: [hanging] });
		on.session.abort();
		const run = on.session.prompt({ text: "one" });
		await on.played.waitForRequest(1);
		on.session[Symbol.dispose]();
		await run;
		await on.played.waitForEnd(1);
		expect(on.played.requests[0]?.aborted).toBe(true);
	});
});
