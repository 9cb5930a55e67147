/** What fills the context is listed by source; items can be read, dropped and brought back, and the log keeps all. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "bun:test";

import { playModel, type Scenario, type Step } from "@tau/ai/testing";
import { SessionManager } from "@tau/log";
import type { SessionHost } from "@tau/session/host";
import { ToolRegistry } from "@tau/tools/registry";

import { converse, filler, look, summing, use } from "../../../../test/support/compaction.ts";
import { testHost, type TestHostOptions } from "../../../../test/support/host.ts";
import { cachedText, commonPrefix } from "../../../../test/support/prefix.ts";
import { testModel } from "../../../../test/support/session.ts";
import { contextText, type ContextItem } from "./index.ts";

const summed: Step = { when: summing, answer: "Greek.", times: "always" };

async function opened(steps: Scenario["steps"], options: TestHostOptions = {}) {
	const played = await playModel({ steps });
	const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	const model = testModel({ baseUrl: played.anthropicUrl, contextWindow: 20_000, cost });
	const host = await testHost(model, options);
	return {
		host,
		played,
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await played.close();
		},
	};
}

async function prompt(host: SessionHost, text: string): Promise<void> {
	await host.submit({ text });
	await host.waitForIdle();
}

function items(host: SessionHost, source: string): readonly ContextItem[] {
	return host.context.report().sources.find(({ name }) => name === source)?.items ?? [];
}

function worked(log = SessionManager.inMemory("/work")): SessionManager {
	log.appendMessage({
		role: "user",
		content: `<file name="src/a.ts">\nATTACHED ${filler(300)}\n</file>\n\nLook at it.`,
		timestamp: 1,
	});
	use(log, "c1", "bash", { command: "npm test" }, `FIRST ${filler(1000)}`);
	use(log, "c2", "read", { path: "b.ts" }, `SECOND ${filler(500)}`);
	return log;
}

describe("the report", () => {
	test("has every source, largest first, and adds up to the whole", async () => {
		const tools = new ToolRegistry();
		tools.register("builtin", [look]);
		tools.register("mcp:tracker", [{ ...look, name: "search_issues", description: filler(50) }]);
		await using on = await opened([], { log: worked(), session: { tools } });
		const { sources, usage } = on.host.context.report();
		expect(sources.map(({ name }) => name)).toEqual([
			"Tool results",
			"Files",
			"MCP: tracker",
			"Tool calls",
			"Tools",
			"User messages",
		]);
		const total = sources.reduce((sum, { tokens }) => sum + tokens, 0);
		expect(Math.abs(total - usage.tokens)).toBeLessThanOrEqual(sources.length);
		expect(items(on.host, "Tool results").map(({ name }) => name)).toEqual(["bash npm test", "read b.ts"]);
		expect(items(on.host, "Files")).toMatchObject([{ name: "src/a.ts", canDrop: true }]);
		expect(items(on.host, "MCP: tracker")).toMatchObject([{ name: "search_issues" }]);
		expect(items(on.host, "User messages")).toMatchObject([{ name: expect.stringContaining("Look at it.") }]);
	});

	test("knows how much of each turn was cached, and what misses cost", async () => {
		const usage = { input: 100, output: 10, cacheRead: 900 };
		await using on = await opened([{ answer: { blocks: [{ text: "One." }], usage } }, "Two."], {
			log: worked(),
		});
		await prompt(on.host, "one");
		const [result] = items(on.host, "Tool results");
		await on.host.context.drop([result?.id ?? ""]);
		await prompt(on.host, "two");
		const { turns, misses } = on.host.context.report();
		expect(turns[0]).toMatchObject({ requested: 1000, cached: 900 });
		expect(misses).toMatchObject([{ request: 2, cause: "dropped items" }]);
		const [miss] = misses;
		expect(miss?.cost).toBeCloseTo(((miss?.tokens ?? 0) * 2.7) / 1_000_000, 6);
		const text = contextText(on.host.context.report());
		expect(text).toContain("Cache missed once after dropping or restoring items");
		expect(text).toContain("1 dropped");
	});

	test("gives the text of an item", async () => {
		await using on = await opened([], { log: worked() });
		const [file] = items(on.host, "Files");
		expect(on.host.context.inspect(file?.id ?? "")).toContain('<file name="src/a.ts">');
		expect(() => on.host.context.inspect("nowhere")).toThrow("There is no item nowhere");
	});
});

describe("a dropped item", () => {
	test("is not sent, can be read by the model, and comes back; each change breaks the prefix once", async () => {
		await using on = await opened(["One.", "Two.", "Three.", "Four."], { log: worked() });
		const { host } = on;
		await prompt(host, "one");
		const [first] = items(host, "Tool results");
		const [file] = items(host, "Files");
		const id = first?.id ?? "";
		const before = host.session.contextUsage().tokens;
		await host.context.drop([id, file?.id ?? ""]);
		expect(host.session.contextUsage().tokens).toBeLessThan(before - 1000);
		expect(items(host, "Tool results").find((item) => item.id === id)).toMatchObject({ isDropped: true });
		await prompt(host, "two");
		await prompt(host, "three");
		await host.context.restore([id]);
		expect(host.session.contextUsage().tokens).toBeGreaterThan(1000);
		await prompt(host, "four");
		const bodies = on.played.requests.map(({ rawBody }) => rawBody);
		expect(bodies.map((body) => body.includes("FIRST some"))).toEqual([true, false, false, true]);
		expect(bodies[1]).toContain(`read session://${id.split("/")[0]}`);
		expect(bodies[1]).toContain("Look at it.");
		expect(bodies[1]).toContain("SECOND some");
		expect(bodies[1]).not.toContain("ATTACHED");
		const [, second = "", third = ""] = on.played.requests.map(cachedText);
		expect(commonPrefix(second, third)).toBe(second.length);
		expect(host.context.report().misses.map(({ cause }) => cause)).toEqual([
			"dropped items",
			"dropped items",
		]);
	});

	test("stays dropped when the session is resumed, and is back before that point of the tree", async () => {
		const dir = mkdtempSync(join(tmpdir(), "tau-context-"));
		afterAll(() => rmSync(dir, { recursive: true, force: true }));
		const log = worked(SessionManager.create(dir, dir));
		const leaf = log.getLeafId() ?? "";
		await using on = await opened(["One."], { log });
		const [first] = items(on.host, "Tool results");
		await on.host.context.drop([first?.id ?? ""]);
		const file = log.getSessionFile() ?? "";
		log.flushSync();
		const again = SessionManager.tryOpen(file, { access: "read" });
		if (!again.ok) throw new Error("not readable");
		using resumed = again.session;
		expect(JSON.stringify(resumed.buildSessionContext().messages)).not.toContain("FIRST some");
		expect(JSON.stringify(resumed.pastMessages().all())).not.toContain("FIRST some");
		expect(JSON.stringify(resumed.buildSessionContext({ transcript: true }).messages)).toContain(
			"FIRST some",
		);
		await on.host.move({ to: "branch", change: () => log.branch(leaf) });
		await prompt(on.host, "go on");
		expect(on.played.requests[0]?.rawBody).toContain("FIRST some");
	});

	test("may be a message of the user, which no compaction brings back", async () => {
		const log = worked();
		log.appendMessage({ role: "user", content: "SECRET plan", timestamp: 1 });
		converse(log, ["alpha", "beta", "gamma", "delta"], 1500);
		const compaction = { keepRecentTokens: 1000, afterAnswer: false };
		await using on = await opened([summed, "Fine."], { log, compaction });
		const secret = items(on.host, "User messages").find(({ name }) => name === "SECRET plan");
		await on.host.context.drop([secret?.id ?? ""]);
		await on.host.compact();
		await prompt(on.host, "go on");
		expect(on.played.requests.map(({ rawBody }) => rawBody).join()).not.toContain("SECRET");
		expect(on.played.requests.at(-1)?.rawBody).toContain("Look at it.");
	});

	test("may be a tool", async () => {
		const tools = new ToolRegistry();
		tools.register("builtin", [look, { ...look, name: "other" }]);
		await using on = await opened(["One.", "Two."], { session: { tools } });
		await on.host.context.drop(["tools/other"]);
		await prompt(on.host, "one");
		await on.host.context.restore(["tools/other"]);
		await prompt(on.host, "two");
		expect(on.played.requests.map(({ rawBody }) => rawBody.includes('"other"'))).toEqual([false, true]);
	});

	test("may be a command of the user or text of the model, but not a call, thinking or a summary", async () => {
		const log = SessionManager.inMemory("/work");
		log.appendMessage({ role: "user", content: "hi", timestamp: 1 });
		converse(log, ["alpha"]);
		use(log, "c1", "bash", { command: "ls" }, "a b");
		log.appendMessage({
			role: "bashExecution",
			command: "echo noise",
			output: "NOISE",
			exitCode: 0,
			cancelled: false,
			truncated: false,
			timestamp: 1,
		});
		await using on = await opened(["One.", "Two."], { log });
		const [text] = items(on.host, "Assistant");
		const [command] = items(on.host, "User commands");
		const [call] = items(on.host, "Tool calls");
		await on.host.context.drop([text?.id ?? "", command?.id ?? ""]);
		expect(on.host.context.drop([call?.id ?? ""])).rejects.toThrow("A tool call cannot be dropped");
		await prompt(on.host, "one");
		const [body = ""] = on.played.requests.map(({ rawBody }) => rawBody);
		expect(body).not.toContain("NOISE");
		expect(body).not.toContain("alpha!");
		expect(body).toContain('"c1"');
		await on.host.context.restore([command?.id ?? "", text?.id ?? ""]);
		await prompt(on.host, "two");
		expect(on.played.requests[1]?.rawBody).toContain("NOISE");
		expect(on.played.requests[1]?.rawBody).toContain("alpha!");
	});

	test("cannot be one while the model works", async () => {
		const started = Promise.withResolvers<void>();
		const slow = {
			...look,
			execute: async (_: string, __: unknown, signal: AbortSignal) => {
				started.resolve();
				const aborted = Promise.withResolvers<void>();
				signal.addEventListener("abort", () => aborted.resolve(), { once: true });
				await aborted.promise;
				return { content: [] };
			},
		};
		const call = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };
		await using on = await opened([call, "Done."], { log: worked(), session: { tools: [slow] } });
		await on.host.submit({ text: "go" });
		await started.promise;
		const [first] = items(on.host, "Tool results");
		expect(on.host.context.drop([first?.id ?? ""])).rejects.toThrow("while the model works");
		await on.host.stop();
	});
});

describe("the summary of a compaction", () => {
	const compaction = { keepRecentTokens: 1000, afterAnswer: false };

	test("is shown with the user's messages, edited, and undone; what came later stays", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, ["alpha", "beta", "gamma", "delta"], 1500);
		await using on = await opened([summed, "Later.", "One.", "Two.", "Three."], {
			log,
			compaction,
		});
		const { context } = on.host;
		expect(context.summary()).toBeUndefined();
		await on.host.compact();
		expect(context.summary()).toMatchObject({
			text: expect.stringContaining("Greek."),
			messages: expect.arrayContaining([expect.objectContaining({ text: "alpha?" })]),
		});
		await prompt(on.host, "and then?");
		const text = on.host.context.summary()?.text ?? "";
		await on.host.context.editSummary(text.replace("Greek.", "LETTERS.").replace("alpha?", "ALPHA!"));
		expect(on.host.context.summary()?.messages[0]?.text).toBe("ALPHA!");
		await prompt(on.host, "one");
		await on.host.context.undoSummary();
		await prompt(on.host, "two");
		await on.host.context.undoSummary();
		expect(on.host.context.summary()?.text).toContain("LETTERS.");
		const bodies = on.played.requests.slice(-3).map(({ rawBody }) => rawBody);
		expect(bodies[1]).toContain("LETTERS.");
		expect(bodies[2]).toContain("Greek.");
		expect(bodies[2]).toContain("and then?");
	});

	test("when it is undone, the model has all messages again, also those since", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, ["alpha", "beta", "gamma", "delta"], 1500);
		await using on = await opened([summed, "Later.", "One.", "Two."], {
			log,
			compaction,
		});
		await on.host.compact();
		await prompt(on.host, "and then?");
		const { tokens: compacted } = on.host.session.contextUsage();
		await on.host.context.undoSummary();
		expect(on.host.context.summary()).toBeUndefined();
		// The answer between the two has counted the summary, and not what is back.
		const { tokens } = on.host.session.contextUsage();
		expect([compacted < 6000, tokens > 6000, tokens < 9000]).toEqual([true, true, true]);
		await prompt(on.host, "one");
		const body = on.played.requests.at(-1)?.rawBody ?? "";
		for (const word of ["alpha!", "delta!", "and then?", "Later."]) expect(body).toContain(word);
		expect(body).not.toContain("Greek.");
		await on.host.context.undoSummary();
		await prompt(on.host, "two");
		const redone = on.played.requests.at(-1)?.rawBody ?? "";
		expect(redone).toContain("Greek.");
		expect(redone).not.toContain("alpha! some");
	});

	test("going back before it in the tree restores everything", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, ["alpha", "beta", "gamma", "delta"], 1500);
		const leaf = log.getLeafId() ?? "";
		await using on = await opened([summed, "One."], { log, compaction });
		const whole = JSON.stringify(log.buildSessionContext().messages);
		await on.host.compact();
		expect(JSON.stringify(on.host.session.state.messages)).not.toBe(whole);
		expect(log.getTree().length).toBe(1);
		await on.host.move({ to: "branch", change: () => log.branch(leaf) });
		expect(JSON.stringify(on.host.session.state.messages)).toBe(whole);
		await prompt(on.host, "one");
		for (const word of ["alpha!", "beta!", "gamma!", "delta!"])
			expect(on.played.requests.at(-1)?.rawBody).toContain(word);
	});
});
