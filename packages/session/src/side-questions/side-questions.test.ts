/** Questions beside the conversation: /btw leaves no trace in it, and another model's answer comes in with its name. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";

import { converse, look } from "../../../../test/support/compaction.ts";
import { testHost, type TestHostOptions } from "../../../../test/support/host.ts";
import { cachedText, commonPrefix } from "../../../../test/support/prefix.ts";
import { testModel } from "../../../../test/support/session.ts";

const aside = { bodyContains: "a question beside the conversation" };
const consulted = { bodyContains: "asks you for a second opinion" };
const usage = { input: 10, output: 5, cacheRead: 990 };

async function opened(steps: Scenario["steps"], options: TestHostOptions = {}) {
	const played = await playModel({ steps });
	const model = testModel({ baseUrl: played.anthropicUrl });
	const host = await testHost(model, options);
	return {
		host,
		played,
		prompt: async (text: string) => {
			await host.submit({ text });
			await host.waitForIdle();
		},
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await played.close();
		},
	};
}

/** A tool that runs until the test lets it end. */
function waiting() {
	const started = Promise.withResolvers<void>();
	const released = Promise.withResolvers<void>();
	const tool = {
		...look,
		execute: async () => {
			started.resolve();
			await released.promise;
			return { content: [{ type: "text" as const, text: "seen it" }] };
		},
	};
	return { tool, started: started.promise, release: released.resolve };
}

const calling = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };

test("a side question is answered from the cached prefix, and only its cost is kept", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	const answer = { blocks: [{ text: "By the way." }], usage };
	await using on = await opened([{ when: aside, answer }, "One.", "Two."], {
		log,
		session: { tools: [look] },
	});
	await on.prompt("one");
	const deltas: string[] = [];
	const { text } = await on.host.sideQuestions.ask("what was that?", {
		onText: (delta) => deltas.push(delta),
	});
	expect([text, deltas.join("")]).toEqual(["By the way.", "By the way."]);
	const [first = "", second = ""] = on.played.requests.map(cachedText);
	expect(commonPrefix(first, second)).toBe(first.length);
	expect(on.played.requests[1]?.rawBody).toContain("what was that?");
	await on.prompt("two");
	const third = on.played.requests[2]?.rawBody ?? "";
	for (const words of ["what was that?", "By the way."]) {
		expect(third).not.toContain(words);
		expect(JSON.stringify(log.getEntries())).not.toContain(words);
	}
	expect(log.getEntries().findLast(({ type }) => type === "usage")).toMatchObject({ kind: "btw" });
	expect(on.host.session.usage.totals.cacheRead).toBe(990);
	expect(on.host.context.report().misses).toEqual([]);
});

test("a side question is answered while a tool runs, and the run continues unharmed", async () => {
	const { tool, started, release } = waiting();
	await using on = await opened([{ when: aside, answer: "Aside." }, calling, "Done."], {
		session: { tools: [tool] },
	});
	await on.host.submit({ text: "go" });
	await started;
	expect(await on.host.sideQuestions.ask("still there?")).toMatchObject({ text: "Aside." });
	// The running call has no result yet, and servers reject that.
	expect(on.played.requests[1]?.rawBody).not.toContain("tool_use");
	expect(on.host.isBusy).toBe(true);
	release();
	await on.host.waitForIdle();
	expect(on.host.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	expect(JSON.stringify(on.host.log.getEntries())).not.toContain("Aside.");
});

test("a side question can be stopped, runs no tools, and reports failures", async () => {
	await using on = await opened(
		[
			{ when: { bodyContains: "slow?" }, fault: { silent: true } },
			{ when: { bodyContains: "tool?" }, ...calling },
			{ when: { bodyContains: "fail?" }, fault: { http: 400 } },
		],
		{ session: { tools: [look] } },
	);
	const asked = on.host.sideQuestions.ask("slow?");
	asked.catch(() => {});
	await on.played.waitForRequest(1);
	expect(on.host.sideQuestions.ask("two at once?")).rejects.toThrow("Another side question");
	on.host.sideQuestions.abort();
	expect(asked).rejects.toThrow("cancelled");
	await asked.catch(() => {});
	expect(on.host.sideQuestions.ask("tool?")).rejects.toThrow("wanted to call look instead");
	await on.host.sideQuestions.ask("tool?").catch(() => {});
	expect(on.host.sideQuestions.ask(" ")).rejects.toThrow("empty");
	await on.host.sideQuestions.ask("fail?").then(
		() => expect.unreachable(),
		(error: Error) => expect(error.message).not.toBe(""),
	);
});

test("another model gets the conversation as text, and its answer comes in with its name", async () => {
	const log = SessionManager.inMemory("/work");
	converse(log, ["alpha"]);
	await using on = await opened(
		[{ when: consulted, answer: { blocks: [{ text: "Do less." }], usage } }, "Ok."],
		{
			log,
		},
	);
	const second = testModel({ baseUrl: on.played.anthropicUrl, id: "second" });
	const events: string[] = [];
	using _ = on.host.attach({ onEvent: (event) => void events.push(event.type) });
	const answer = await on.host.sideQuestions.consult(second, "What would you do?");
	expect(answer).toMatchObject({ text: "Do less.", model: "second" });
	const asked = on.played.requests[0]?.rawBody ?? "";
	expect(asked).toContain('"model":"second"');
	expect(asked).toContain("[User]: alpha?");
	expect(events).toContain("message_end");
	await on.prompt("go on");
	const next = on.played.requests[1]?.rawBody ?? "";
	expect(next).toContain("/second answered");
	expect(next).toContain("Do less.");
	const kept = log.getEntries().find((entry) => JSON.stringify(entry).includes("second-opinion"));
	expect(JSON.stringify(kept)).toContain('"question":"What would you do?"');
	expect(log.getEntries().find(({ type }) => type === "usage")).toMatchObject({
		kind: "ask",
		model: "second",
	});
});

test("during a run, another model's answer reaches the model after the running tools", async () => {
	const { tool, started, release } = waiting();
	await using on = await opened([{ when: consulted, answer: "Do less." }, calling, "Done."], {
		session: { tools: [tool] },
	});
	await on.host.submit({ text: "go" });
	await started;
	const second = testModel({ baseUrl: on.played.anthropicUrl, id: "second" });
	await on.host.sideQuestions.consult(second, "What would you do?");
	release();
	await on.host.waitForIdle();
	expect(on.played.requests[2]?.rawBody).toContain("Do less.");
	expect(on.host.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
});

test("a spent budget refuses side questions, and their cost counts", async () => {
	const answer = { blocks: [{ text: "Aside." }], usage: { input: 900, output: 100 } };
	await using on = await opened([{ when: aside, answer, times: "always" }, "One."]);
	await on.host.settings.setUnchecked("budget.maxTokens", 1500, "session");
	await on.host.sideQuestions.ask("first?");
	await on.host.sideQuestions.ask("second?");
	expect(on.host.sideQuestions.ask("third?")).rejects.toThrow("The budget of 1500 tokens is used up (2000).");
	const model = testModel({ baseUrl: on.played.anthropicUrl, id: "other" });
	expect(on.host.sideQuestions.consult(model, "fourth?")).rejects.toThrow("is used up");
	expect(on.played.requests).toHaveLength(2);
});
