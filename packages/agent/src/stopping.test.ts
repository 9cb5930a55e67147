/** A run can be stopped at any moment, by an abort or by a listener that leaves, and waits for a slow listener. */
import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";

import { MessageBuilder, type StreamFunction } from "@tau/ai";
import { playModel } from "@tau/ai/testing";

import { limits } from "./limits.ts";
import { begin, collect, textOutcome, tool } from "./testing/collect.ts";
import {
	asks,
	call,
	closing,
	lastAnswer,
	opening,
	resultTexts,
	speaking,
	speechless,
} from "./testing/script.ts";
import { assertWellFormedRun } from "./testing/well-formed.ts";
import type { AgentEvent } from "./types.ts";

const nowhere = "http://127.0.0.1:9";
const alone = tool("alone", async () => textOutcome("done"), { concurrency: "exclusive" });

/** A text whose second half never arrives. */
const halfAnAnswer = {
	answer: { blocks: [{ text: "onetwo", chunks: 2 }] },
	fault: { pauseMs: 60_000, afterChunks: 1 },
};

async function aborted(signal: AbortSignal): Promise<void> {
	const abort = Promise.withResolvers<void>();
	signal.addEventListener("abort", () => abort.resolve());
	if (!signal.aborted) await abort.promise;
}

async function manyTurnsOfTheEventLoop(): Promise<void> {
	for (let turn = 0; turn < 100; turn++) await nextTurn();
}

function isText(event: AgentEvent): boolean {
	return event.type === "message_update" && event.assistantMessageEvent.type === "text_delta";
}

describe("an abort", () => {
	const silent = [...opening, ...speechless, ...closing];

	test("before the start sends no request", async () => {
		await using model = await playModel({ steps: ["Never."] });
		const { story, messages } = await collect({ url: model.anthropicUrl, signal: AbortSignal.abort() });
		expect(story).toEqual(silent);
		expect(lastAnswer(messages).stopReason).toBe("aborted");
		expect(model.requests).toHaveLength(0);
	});

	test("while a key is fetched does not wait for it", async () => {
		const abort = new AbortController();
		const never = Promise.withResolvers<{ apiKey: string }>();
		const access = (): Promise<{ apiKey: string }> => {
			abort.abort();
			return never.promise;
		};
		const { story } = await collect({ url: nowhere, signal: abort.signal, config: { access } });
		expect(story).toEqual(silent);
	});

	test("while the model is silent closes the connection", async () => {
		await using model = await playModel({ steps: [{ fault: { silent: true } }] });
		const abort = new AbortController();
		const run = collect({ url: model.anthropicUrl, signal: abort.signal });
		await model.waitForRequest(1);
		abort.abort();
		expect((await run).story).toEqual(silent);
		expect((await model.waitForEnd(1)).aborted).toBe(true);
	});

	test("in the middle of a text keeps the partial text", async () => {
		const abort = new AbortController();
		await using model = await playModel({ steps: [halfAnAnswer] });
		const { story, messages } = await collect({ url: model.anthropicUrl, signal: abort.signal }, (event) => {
			if (isText(event)) abort.abort();
		});
		expect(story).toEqual([...opening, ...speaking, ...closing]);
		expect(lastAnswer(messages)).toMatchObject({ stopReason: "aborted", content: [{ text: "one" }] });
	});

	test("while tools run stops them, and waiting calls are not run", async () => {
		const abort = new AbortController();
		const received: string[] = [];
		const listening = tool("listening", async (id, _params, signal) => {
			if (received.push(id) === 2) abort.abort();
			await aborted(signal);
			received.push("aborted");
			return textOutcome("as far as I got");
		});
		const rejecting = tool("rejecting", async (_id, _params, signal) => {
			await aborted(signal);
			throw signal.reason;
		});
		const names = ["rejecting", "listening", "listening", "alone", "listening"];
		await using model = await playModel({ steps: [asks(...names.map((name) => call(name))), "Never."] });
		const tools = [listening, rejecting, alone];
		const { messages, story } = await collect({ url: model.anthropicUrl, signal: abort.signal, tools });
		expect(received.slice(2)).toEqual(["aborted", "aborted"]);
		expect(resultTexts(messages)).toEqual([
			"Interrupted by the user.",
			"as far as I got",
			"as far as I got",
			"Not run: the user interrupted the turn.",
			"Not run: the user interrupted the turn.",
		]);
		expect(story.filter((label) => label === "turn_start")).toHaveLength(1);
		expect(model.requests).toHaveLength(1);
	});

	test("does not wait for a tool that never ends", async () => {
		const abort = new AbortController();
		const late = Promise.withResolvers<never>();
		const deaf = tool("deaf", (_id, _params, _signal, update) => {
			abort.abort();
			update(textOutcome("still heard"));
			return late.promise;
		});
		await using model = await playModel({ steps: [asks(call("deaf")), "Never."] });
		const run = { url: model.anthropicUrl, signal: abort.signal, tools: [deaf] };
		const { messages, story } = await collect(run);
		// A late rejection of such a tool is ignored and is not reported as unhandled.
		late.reject(new Error("much later"));
		expect(story).toContain("tool_execution_update deaf");
		expect(resultTexts(messages)).toEqual(["Interrupted by the user."]);
	});
});

describe("a listener", () => {
	test("that stops reading stops the model, and the result contains the partial run", async () => {
		await using model = await playModel({ steps: [halfAnAnswer] });
		const run = begin({ url: model.anthropicUrl });
		for await (const event of run) if (isText(event)) break;
		const messages = await run.result();
		expect(lastAnswer(messages)).toMatchObject({ stopReason: "aborted", content: [{ text: "one" }] });
		expect((await model.waitForEnd(1)).aborted).toBe(true);
	});

	test("that stops reading stops the tools", async () => {
		await using model = await playModel({ steps: [asks(call("waits"), call("alone"))] });
		const waits = tool("waits", async (_id, _params, signal) => {
			await aborted(signal);
			return textOutcome("stopped");
		});
		const run = begin({ url: model.anthropicUrl, tools: [waits, alone] });
		for await (const event of run) if (event.type === "tool_execution_start") break;
		expect(resultTexts(await run.result())).toEqual(["stopped", "Not run: the user interrupted the turn."]);
	});

	/** A model that sends more blocks than a listener may be behind. */
	const talkative: StreamFunction = (model) => {
		const builder = new MessageBuilder(model);
		for (let block = 0; block < limits.unreadEvents; block++) builder.close(builder.openText());
		builder.done("stop");
		return builder.stream;
	};

	test("that is far behind makes the run wait, and misses nothing", async () => {
		const run = begin({ url: nowhere, config: { stream: talkative } });
		await manyTurnsOfTheEventLoop();
		expect(run.unread).toBe(limits.unreadEvents);
		const events: AgentEvent[] = [];
		for await (const event of run) events.push(event);
		assertWellFormedRun(events);
		expect(events.filter((event) => event.type === "message_update")).toHaveLength(2 * limits.unreadEvents);
	});

	test("that is far behind can still be left by an abort", async () => {
		const abort = new AbortController();
		const run = begin({ url: nowhere, signal: abort.signal, config: { stream: talkative } });
		await manyTurnsOfTheEventLoop();
		expect(run.unread).toBe(limits.unreadEvents);
		abort.abort();
		expect(await run.result()).toHaveLength(2);
	});

	test("that is far behind gets only the latest update of a tool that reports often", async () => {
		await using model = await playModel({ steps: [asks(call("chatty")), "Done."] });
		const chatty = tool("chatty", async (_id, _params, _signal, update) => {
			for (let line = 1; line <= 100_000; line++) update(textOutcome(`line ${line}`));
			return textOutcome("whole");
		});
		const run = begin({ url: model.anthropicUrl, tools: [chatty] });
		await run.result();
		const events: AgentEvent[] = [];
		for await (const event of run) events.push(event);
		assertWellFormedRun(events);
		const updates = events.filter((event) => event.type === "tool_execution_update");
		expect(updates.map((event) => event.partialResult)).toEqual([textOutcome("line 100000")]);
	});

	test("that is far behind keeps memory bounded when several tools report in turns", async () => {
		const names = ["one", "two"];
		await using model = await playModel({ steps: [asks(...names.map((name) => call(name))), "Done."] });
		const ended = names.map((name) => ({ name, ...Promise.withResolvers<void>() }));
		const tools = ended.map(({ name, resolve }) =>
			tool(name, async (_id, _params, _signal, update) => {
				for (let line = 1; line <= limits.unreadEvents; line++) {
					update(textOutcome(`line ${line}`));
					await Promise.resolve();
				}
				resolve();
				return textOutcome("whole");
			}),
		);
		const run = begin({ url: model.anthropicUrl, tools });
		await Promise.all(ended.map(({ promise }) => promise));
		await manyTurnsOfTheEventLoop();
		expect(run.unread).toBeGreaterThanOrEqual(limits.unreadEvents);
		expect(run.unread).toBeLessThan(limits.unreadEvents + 20);
		const events: AgentEvent[] = [];
		for await (const event of run) events.push(event);
		assertWellFormedRun(events);
	});
});
