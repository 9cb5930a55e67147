/** A client can compact a conversation, follow it, abort it, and is not confused by it. */
import { expect, test } from "bun:test";

import { playModel, type Scenario, type Step } from "@tau/ai/testing";
import { z } from "zod";
import { SessionManager } from "@tau/log";

import { converse, look, smallWindow, summing, words } from "../../../../test/support/compaction.ts";
import { connect, type ConnectOptions } from "../../../../test/support/rpc.ts";
import { RpcClient } from "./client.ts";
import type { RpcEvent } from "./protocol.ts";
import schema from "./schema.json" with { type: "json" };

async function openFixture(steps: Scenario["steps"], more: ConnectOptions = {}) {
	const played = await playModel({ steps });
	const frames: unknown[] = [];
	const log = SessionManager.inMemory("/");
	converse(log, words);
	const rpc = await connect(played, {
		log,
		compaction: { ...smallWindow },
		model: { contextWindow: 10_000 },
		onWrite: (text) =>
			void frames.push(
				...text
					.trimEnd()
					.split("\n")
					.map((line) => JSON.parse(line)),
			),
		...more,
	});
	const client = new RpcClient({ streams: rpc });
	await client.start();
	const events: RpcEvent[] = [];
	client.onEvent((event) => events.push(event));
	return {
		client,
		events,
		frames,
		played,
		host: rpc.host,
		async [Symbol.asyncDispose]() {
			await client.stop();
			await rpc[Symbol.asyncDispose]();
			await played.close();
		},
	};
}

function problemsOf(frame: unknown): unknown[] {
	const kind = z.object({ type: z.string() }).parse(frame).type === "response" ? "Response" : "Event";
	const document = { ...(schema as object), $ref: `#/$defs/${kind}` };
	const { error } = z.fromJSONSchema(document as Parameters<typeof z.fromJSONSchema>[0]).safeParse(frame);
	return error ? [{ frame, error }] : [];
}

test("compact responds with the result, and every frame matches the schema", async () => {
	await using on = await openFixture([
		{ when: summing, answer: "Greek." },
		{ when: summing, fault: { http: 401 } },
	]);
	const result = await on.client.compact("Mind the letters.");
	expect(result).toMatchObject({ summary: "Greek.", details: { readFiles: [], modifiedFiles: [] } });
	expect(on.played.requests[0]?.rawBody).toContain("Mind the letters.");
	expect((await on.client.getMessages())[0]).toMatchObject({ role: "compactionSummary" });
	converse(on.host.log, words);
	await expect(on.client.compact()).rejects.toThrow();
	expect(on.events.map(({ type }) => type)).toEqual([
		"compaction_start",
		"compaction_end",
		"compaction_start",
		"compaction_end",
	]);
	expect(on.frames.flatMap(problemsOf)).toEqual([]);
});

test("compact does not block later commands, and abort ends it", async () => {
	await using on = await openFixture([{ when: summing, fault: { silent: true } }]);
	const compacting = on.client.compact().then(() => "", String);
	await on.played.waitForRequest(1);
	expect(await on.client.getState()).toMatchObject({ isCompacting: true, isStreaming: false });
	await on.client.abort();
	expect(await compacting).toContain("cancelled");
	expect(await on.client.getState()).toMatchObject({ isCompacting: false, messageCount: words.length * 2 });
});

test("set_auto_compaction takes effect at once, also for the next session", async () => {
	const full: Step = { answer: { blocks: [{ text: "Eta!" }], usage: { input: 9000, output: 10 } } };
	await using on = await openFixture([full, "Theta!"]);
	expect(await on.client.getState()).toMatchObject({ autoCompactionEnabled: true });
	await on.client.setAutoCompaction(false);
	await on.client.promptAndWait("eta?");
	await on.client.promptAndWait("theta?");
	expect(on.events.filter(({ type }) => type.includes("compaction"))).toEqual([]);
	await on.client.newSession();
	expect(await on.client.getState()).toMatchObject({ autoCompactionEnabled: false });
});

test("a run that is compacted in its middle is one run for a client that waits for its end", async () => {
	const call: Step = {
		answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage: { input: 9000, output: 10 } },
	};
	const slow: Step = {
		when: summing,
		answer: { blocks: [{ text: "Greek.", chunks: 3 }], delayMs: 20 },
		times: "always",
	};
	await using on = await openFixture([slow, call, "Done."], {
		session: { tools: [look] },
		compaction: { ...smallWindow, afterAnswer: false },
	});
	const states: unknown[] = [];
	on.client.onEvent((event) => {
		if (event.type === "compaction_start") void on.client.getState().then((state) => states.push(state));
	});
	await on.client.promptAndWait("eta?");
	expect(await on.client.getLastAssistantText()).toBe("Done.");
	expect(states).toMatchObject([{ isStreaming: true, isCompacting: true }]);
	expect(await on.client.getState()).toMatchObject({ isStreaming: false, isCompacting: false });
	expect(on.frames.flatMap(problemsOf)).toEqual([]);
});

test("a prompt right after an answer waits for the compaction that followed it", async () => {
	const full: Step = { answer: { blocks: [{ text: "Eta!" }], usage: { input: 9000, output: 10 } } };
	await using on = await openFixture([{ when: summing, answer: "Greek.", times: "always" }, full, "Theta!"]);
	await on.client.promptAndWait("eta?");
	await on.client.promptAndWait("theta?");
	expect(await on.client.getLastAssistantText()).toBe("Theta!");
	expect(on.played.requests.at(-1)?.rawBody).toContain("Greek.");
});

test("leaving a session aborts its compaction", async () => {
	await using on = await openFixture([{ when: summing, fault: { silent: true } }]);
	const compacting = on.client.compact().then(() => "", String);
	await on.played.waitForRequest(1);
	await on.client.newSession();
	expect(await compacting).toContain("cancelled");
	expect(on.host.log.getEntries()).toEqual([]);
	expect(await on.client.getState()).toMatchObject({ isCompacting: false, messageCount: 0 });
});
