/** A new session gets a name automatically, once, and nothing waits for it. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AssistantMessage } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import type { SessionEvent } from "../run/behavior.ts";
import { limits } from "../run/limits.ts";
import { SessionManager } from "@tau/log";
import { persistence } from "./persistence.ts";
import { sessionTitle, type AskTitle } from "./session-title.ts";
import { UsageLedger } from "../run/usage-ledger.ts";

function titled(text: string, stopReason: AssistantMessage["stopReason"] = "stop"): AssistantMessage {
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	return {
		role: "assistant",
		content: [{ type: "text", text }],
		api: "anthropic-messages",
		provider: "played",
		model: "small",
		stopReason,
		timestamp: 0,
		usage: { ...none, totalTokens: 3, cost: { ...none, total: 0 } },
	};
}

interface Named {
	name: string | undefined;
	asked: string[];
	events: SessionEvent[];
	answers: number;
}

async function converse(
	ask: AskTitle,
	{
		steps = ["Hello."],
		prompts = ["hi"],
		log = SessionManager.inMemory("/"),
	}: { steps?: Scenario["steps"]; prompts?: string[]; log?: SessionManager } = {},
): Promise<Named> {
	await using played = await playModel({ steps });
	const asked: string[] = [];
	const settled: Promise<unknown>[] = [];
	const watched: AskTitle = (exchange, model, signal) => {
		asked.push(exchange);
		const answer = ask(exchange, model, signal);
		settled.push(answer.catch(() => undefined));
		return answer;
	};
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [persistence(log), sessionTitle(log, watched)],
	});
	const events: SessionEvent[] = [];
	using _ = session.subscribe((event) => void events.push(event));
	for (const text of prompts) await session.prompt({ text });
	await Promise.all(settled);
	// The name is written in the event loop turn after the answer.
	await Bun.sleep(0);
	return { name: log.getSessionName(), asked, events, answers: session.usage.byModel().length };
}

test("the first exchange is named, and the name is announced", async () => {
	const log = SessionManager.inMemory("/");
	const { name, asked, events, answers } = await converse(async () => titled("Greeting the agent"), { log });
	expect(name).toBe("Greeting the agent");
	expect(asked[0]).toContain("hi");
	expect(asked[0]).toContain("Hello.");
	expect(events).toContainEqual({ type: "session_info_changed", name: "Greeting the agent" });
	expect(answers).toBe(2);
	// Its cost is known after a resume, too.
	expect(new UsageLedger(() => log.spent()).byModel()).toHaveLength(2);
});

test("it is requested once, however long the conversation", async () => {
	const { asked } = await converse(async () => titled("A"), {
		steps: ["1", "2", "3"],
		prompts: ["a", "b", "c"],
	});
	expect(asked).toHaveLength(1);
});

test("a session that has a name or earlier messages keeps its name", async () => {
	const named = SessionManager.inMemory("/");
	named.appendSessionInfo("Mine");
	expect(await converse(async () => titled("Other"), { log: named })).toMatchObject({
		name: "Mine",
		asked: [],
	});
	const old = SessionManager.inMemory("/");
	old.appendMessage({ role: "user", content: "before", timestamp: 0 });
	expect((await converse(async () => titled("Other"), { log: old })).asked).toEqual([]);
});

test("a first turn that failed is not named; the next one is", async () => {
	const steps: Scenario["steps"] = [{ fault: { http: 400 } }, "Fine."];
	const { asked, name } = await converse(async () => titled("Second try"), { steps, prompts: ["a", "b"] });
	expect(asked).toHaveLength(1);
	expect(name).toBe("Second try");
});

describe("a model's title becomes one clean line", () => {
	test.each([
		['"Fix the parser."', "Fix the parser"],
		["Title: **Fix the parser**", "Fix the parser"],
		["# Fix\nthe parser", "Fix"],
		["Fix \u001b[31mthe\u001b[0m parser", "Fix the parser"],
		["", undefined],
	])("%j", async (text, name) => {
		expect((await converse(async () => titled(text))).name).toBe(name);
	});

	test("a long title is shortened", async () => {
		const { name } = await converse(async () => titled("word ".repeat(100)));
		expect((name ?? "").length).toBeLessThanOrEqual(limits.titleChars);
	});
});

test.each([
	["no model to ask", async () => undefined],
	["a failure", async () => titled("half", "error")],
	["an error", () => Promise.reject(new Error("offline"))],
] satisfies [string, AskTitle][])("%s leaves it without a name", async (_, ask) => {
	expect((await converse(ask)).name).toBeUndefined();
});

test("the end of a session aborts the request", async () => {
	await using played = await playModel({ steps: ["Hello."] });
	const log = SessionManager.inMemory("/");
	const aborted = Promise.withResolvers<void>();
	const ask: AskTitle = (_exchange, _model, signal) =>
		new Promise((_resolve, reject) => {
			signal.addEventListener("abort", () => {
				aborted.resolve();
				reject(signal.reason);
			});
		});
	{
		using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
			behaviors: [persistence(log), sessionTitle(log, ask)],
		});
		await session.prompt({ text: "hi" });
	}
	await aborted.promise;
	expect(log.getSessionName()).toBeUndefined();
});

test("a title leaves no entry on the branch of a session that is opened again", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-title-"));
	using stack = new DisposableStack();
	stack.defer(() => rmSync(directory, { recursive: true, force: true }));
	const log = SessionManager.create(directory, directory);
	await converse(async () => titled("Greeting"), { log });
	const file = log.getSessionFile() ?? "";
	log[Symbol.dispose]();
	using again = SessionManager.open(file);
	expect(again.getHeads().at(-1)?.type).toBe("session_info");
	expect(again.getBranch().map(({ type }) => type)).toEqual(["message", "message"]);
	expect(again.getSessionName()).toBe("Greeting");
});

test("a title leaves no entry on the branch of the conversation, and a fork keeps the name", async () => {
	const log = SessionManager.inMemory("/");
	await converse(async () => titled("Greeting"), {
		log,
		steps: ["Hello.", "Again."],
		prompts: ["hi", "more"],
	});
	expect(log.getBranch().map(({ type }) => type)).toEqual(["message", "message", "message", "message"]);
	expect(log.getSessionName()).toBe("Greeting");
	expect([...log.spent()].filter(({ isTurn }) => !isTurn)).toHaveLength(1);
	log.createBranchedSession(log.getBranch()[1]?.id ?? "");
	expect(log.getSessionName()).toBe("Greeting");
});
