/** A client in the process of its session reads the live objects, and sends the commands that every client sends. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { EventFrame } from "@tau/wire";

import { testHost } from "../../../../test/support/host.ts";
import { testModel } from "../../../../test/support/session.ts";
import { LocalClient } from "./local-client.ts";
import { LocalTail } from "./local-view.ts";

async function open(scenario: Scenario) {
	const played = await playModel(scenario);
	const host = await testHost(testModel({ baseUrl: played.anthropicUrl, reasoning: true }));
	const me = { id: "me", name: "terminal", rights: "control", kinds: ["dialog" as const] } as const;
	const client = new LocalClient({ me: { ...me, kinds: [...me.kinds] }, host });
	const events: EventFrame[] = [];
	client.subscribe((event) => void events.push(event));
	return {
		host,
		client,
		events,
		async [Symbol.asyncDispose]() {
			client[Symbol.dispose]();
			await host[Symbol.asyncDispose]();
			await played[Symbol.asyncDispose]();
		},
	};
}

test("a prompt is answered; the view shows it as it is, without a copy", async () => {
	await using on = await open({ steps: ["Hello there."] });
	const { client, host, events } = on;
	const texts: string[] = [];
	client.subscribe(({ type }) => {
		const [part] = client.view.live.answer?.content ?? [];
		if (type === "message_update" && part?.type === "text") texts.push(part.text);
	});
	expect(await client.request("prompt", { message: "hi" })).toEqual({ disposition: "started" });
	await host.waitForIdle();
	expect(texts.at(-1)).toBe("Hello there.");
	expect(client.view.live.answer).toBeNull();
	expect(client.view.facts.phase).toBe("idle");
	expect(client.view.facts.usage?.output).toBeGreaterThan(0);
	expect(client.view.tail.entries.at(-1)?.id).toBe(host.log.getLeafId() ?? "");
	// An update has only what is new, as everywhere else.
	const update = events.find((event) => event.type === "message_update");
	expect(update?.message).not.toHaveProperty("content");
});

test("a listener that fails keeps no event from the others", async () => {
	await using on = await open({ steps: ["Hello."] });
	const { client, host } = on;
	client.subscribe(() => {
		throw new Error("It cannot be drawn.");
	});
	const types: string[] = [];
	client.subscribe(({ type }) => void types.push(type));
	await client.request("prompt", { message: "hi" });
	await host.waitForIdle();
	expect(types).toContain("message_update");
	client[Symbol.dispose]();
	await host.notice("unread");
	expect(types).not.toContain("notice");
});

test("a refused command rejects with the reason", async () => {
	await using on = await open({ steps: [] });
	expect(on.client.request("prompt", { message: " " })).rejects.toThrow("The message is empty.");
	expect(on.client.request("set_model", { provider: "no", modelId: "such" })).rejects.toThrow();
});

test("what was queued comes back whole, in the order of the queue", async () => {
	await using on = await open({ steps: [{ fault: { silent: true } }] });
	const { client, host } = on;
	await client.request("prompt", { message: "one" });
	await client.request("prompt", { message: "two\nlong", pastes: ["long"], streamingBehavior: "steer" });
	const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
	await client.request("prompt", { message: "three", images: [image], streamingBehavior: "followUp" });
	expect(client.view.facts.queue).toEqual({ steering: ["two\nlong"], followUp: ["three"] });
	expect(await client.request("dequeue_last", {})).toEqual({ message: { text: "three", images: [image] } });
	expect(await client.request("clear_queue", {})).toEqual({
		steering: ["two\nlong"],
		followUp: [],
		messages: [{ text: "two\nlong", pastes: ["long"] }],
	});
	await client.request("abort", { scope: "all" });
	expect(host.phase).toBe("idle");
});

test("a message that no user wrote is not lost with the queue: the model reads it with the next prompt", async () => {
	await using on = await open({ steps: [{ fault: { silent: true } }, "Two."] });
	const { client, host } = on;
	await client.request("prompt", { message: "one" });
	await client.request("prompt", { message: "two", streamingBehavior: "followUp" });
	host.session.followUp({ text: "Job 1 has ended.", customType: "job" });
	expect(await client.request("dequeue_last", {})).toEqual({ message: { text: "two" } });
	expect(await client.request("dequeue_last", {})).toEqual({ message: null });
	await client.request("abort", {});
	expect(host.session.state.messages.some(({ role }) => role === "custom")).toBe(true);
});

test("questions are asked while a client is there, and declined when it leaves", async () => {
	await using on = await open({ steps: [] });
	const { client, host } = on;
	const dialog = { method: "input", title: "Name?" } as const;
	const opened = Promise.withResolvers<string>();
	client.subscribe((event) => {
		if (event.type === "request_opened") opened.resolve(event.request.id);
	});
	const named = host.requests.ask("dialog", { dialog });
	const requestId = await opened.promise;
	expect(client.view.live.requests.map(({ id }) => id)).toEqual([requestId]);
	await client.request("answer_request", { requestId, answer: { value: "Ann" } });
	expect(await named).toEqual({ value: "Ann" });
	const left = host.requests.ask("dialog", { dialog });
	client[Symbol.dispose]();
	expect(await left).toBeUndefined();
	expect(host.requests.canAsk("dialog")).toBe(false);
});

test("after a move the view is that of the other session", async () => {
	await using on = await open({ steps: ["One."] });
	const { client, host } = on;
	await client.request("prompt", { message: "hi" });
	await host.waitForIdle();
	const before = client.view.facts.session.id;
	const seen: number[] = [];
	client.onReset(() => seen.push(client.view.tail.entries.length));
	await client.request("new_session", {});
	expect(seen).toEqual([0]);
	expect(client.view.facts.session.id).not.toBe(before);
});

test("what is being made is that of the other session when the screen is told to draw it", async () => {
	await using on = await open({ steps: [] });
	const { client, host } = on;
	await host.notice("of the first session");
	expect(client.view.live.notices).toHaveLength(1);
	const seen: number[] = [];
	client.onReset(() => seen.push(client.view.live.notices.length));
	await client.request("new_session", {});
	expect(seen).toEqual([0]);
	// It is the state that joiners get.
	expect(client.view.live).toBe(host.clients.live as typeof client.view.live);
});

test("of a long session only the entries that are read are parsed", () => {
	using log = SessionManager.inMemory("/work");
	for (let at = 0; at < 1000; at++)
		log.appendMessage({ role: "user", content: `message ${at}`, timestamp: 0 });
	const read: string[] = [];
	const tail = new LocalTail({
		log: {
			getLeafId: () => log.getLeafId(),
			getBranchHeads: () => log.getBranchHeads(),
			getEntry: (id) => {
				read.push(id);
				return log.getEntry(id);
			},
		},
	});
	expect(tail.earlier + tail.entries.length).toBe(1000);
	expect(read).toHaveLength(0);
	expect(tail.entries.at(-1)).toMatchObject({ message: { content: "message 999" } });
	expect(read).toHaveLength(1);
	log.appendMessage({ role: "user", content: "one more", timestamp: 0 });
	expect(tail.entries.at(-1)).toMatchObject({ message: { content: "one more" } });
});
