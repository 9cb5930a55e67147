/** What handlers return changes what happens, in the order of the extensions; their failures stay their own. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { withDeadline } from "../support/deadline.ts";
import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

function errorsOf({ events }: ExtensionFixture): string[] {
	return events.flatMap((event) =>
		event.type === "extension_error" ? [`${event.event}: ${event.error}`] : [],
	);
}

function noticesOf({ events }: ExtensionFixture): string[] {
	return events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
}

describe("tool_call", () => {
	const touch = { steps: [callOf("bash", { command: "touch made" }), "Ok."] };

	test("the first block decides, and later handlers are not called", async () => {
		await using fixture = await extensionFixture(touch, {
			files: {
				"a.ts": on("tool_call", "() => undefined"),
				"b.ts": on("tool_call", `() => ({ block: true, reason: "because" })`),
				"c.ts": on("tool_call", `() => { throw new Error("not asked"); }`),
			},
		});
		await fixture.prompt("go");
		expect(fixture.request(1)).toContain("because");
		expect(existsSync(join(fixture.cwd, "made"))).toBe(false);
		expect(errorsOf(fixture)).toEqual([]);
	});

	test("a handler that throws blocks the call, and the reason is reported", async () => {
		await using fixture = await extensionFixture(touch, {
			files: { "guard.ts": on("tool_call", `async () => {\n  throw new Error("broken");\n}`) },
		});
		await fixture.prompt("go");
		expect(existsSync(join(fixture.cwd, "made"))).toBe(false);
		expect(fixture.request(1)).toContain("was not run, because a check failed: guard: broken");
		expect(errorsOf(fixture)).toEqual(["tool_call: broken (guard.ts:2)"]);
	});

	test("a handler that never returns is named, then times out, and the call is blocked", async () => {
		await using fixture = await extensionFixture(touch, {
			files: { "slow.ts": on("tool_call", "() => new Promise(() => {})") },
			deadline: { slowMs: 5, limitMs: 20 },
		});
		await fixture.prompt("go");
		expect(noticesOf(fixture)).toEqual([
			"The extension slow is blocking on the tool_call event. Esc skips it.",
		]);
		expect(existsSync(join(fixture.cwd, "made"))).toBe(false);
		expect(errorsOf(fixture)).toEqual([expect.stringMatching(/^tool_call: Timed out after 0.02 s/)]);
		expect(fixture.request(1)).toContain("Timed out after");
	});

	test("a handler that waits for the user does not time out", async () => {
		// Longer than a handler's deadline: when this one times out, that one would have too.
		const alone = { slowMs: 10, limitMs: 10, isPaused: () => false, onSlow: () => {} };
		const asked = Promise.withResolvers<void>();
		const answered = Promise.withResolvers<boolean>();
		await using fixture = await extensionFixture(touch, {
			files: {
				"ask.ts": on(
					"tool_call",
					`async (_event, ctx) => ({ block: !(await ctx.ui.confirm("Run", "it?")) })`,
				),
			},
			deadline: { slowMs: 1, limitMs: 2 },
			answer: () => {
				asked.resolve();
				return answered.promise;
			},
		});
		const done = fixture.prompt("go");
		await asked.promise;
		await expect(withDeadline(new Promise(() => {}), alone)).rejects.toThrow("Timed out after");
		answered.resolve(true);
		await done;
		expect(existsSync(join(fixture.cwd, "made"))).toBe(true);
		expect([...errorsOf(fixture), ...noticesOf(fixture)]).toEqual([]);
	});

	test("Escape ends the wait for a handler that never returns", async () => {
		const waiting = Promise.withResolvers<void>();
		await using fixture = await extensionFixture(touch, {
			files: {
				"slow.ts": on(
					"tool_call",
					`(_event, ctx) => { ctx.ui.notify("here"); return new Promise(() => {}); }`,
				),
			},
			mode: { ui: new Proxy({}, { get: () => waiting.resolve }) as never },
		});
		const done = fixture.prompt("go");
		await waiting.promise;
		fixture.session.abort();
		await done;
		expect(fixture.session.isAnswering).toBe(false);
	});

	test("input changed by a handler is what runs, and the next handler sees it", async () => {
		await using fixture = await extensionFixture(touch, {
			files: {
				"a.ts": on("tool_call", `({ input }) => { input.command = input.command.replace("made", "other"); }`),
				"b.ts": on("tool_call", `({ input }) => { input.command += " more"; }`),
			},
		});
		await fixture.prompt("go");
		expect(["made", "other", "more"].map((name) => existsSync(join(fixture.cwd, name)))).toEqual([
			false,
			true,
			true,
		]);
	});

	test("calls of one answer are checked one after the other, in order", async () => {
		const source = `
			let inside = 0;
			export default (pi) => pi.on("tool_call", async ({ input }, ctx) => {
				inside++;
				await new Promise(setImmediate);
				ctx.ui.notify(input.command + " " + inside);
				inside--;
			});`;
		const block = (command: string) => ({ toolCall: { name: "bash", arguments: { command } } });
		await using fixture = await extensionFixture(
			{ steps: [{ answer: { blocks: [block("echo a"), block("echo b"), block("echo c")] } }, "Ok."] },
			{ files: { "turns.ts": source } },
		);
		await fixture.prompt("go");
		expect(fixture.shown).toEqual(["notify: echo a 1", "notify: echo b 1", "notify: echo c 1"]);
	});
});

describe("tool_result", () => {
	test("has the usage of models that the tool asked itself, which a handler may replace", async () => {
		const used = (total: number): string =>
			`{ input: ${total}, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: ${total}, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: ${total} } }`;
		const source = `export default (pi) => {
			pi.registerTool({ name: "think", label: "t", description: "t", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "x" }], usage: ${used(3)} }) });
			pi.on("tool_result", ({ usage }, ctx) => { ctx.ui.notify(String(usage?.totalTokens)); return { usage: ${used(5)} }; });
			pi.on("tool_result", ({ usage }, ctx) => { ctx.ui.notify(String(usage?.totalTokens)); return { usage: { input: "many" } }; });
		};`;
		await using fixture = await extensionFixture(
			{ steps: [callOf("think", {}), "Done."] },
			{ files: { "a.ts": source } },
		);
		await fixture.prompt("go");
		expect(fixture.shown).toEqual(["notify: 3", "notify: 5"]);
		expect(fixture.session.state.messages).toContainEqual(
			expect.objectContaining({ role: "toolResult", usage: expect.objectContaining({ totalTokens: 5 }) }),
		);
	});

	test("each handler patches the result of the one before; omitted fields stay, and a failing handler is ignored", async () => {
		await using fixture = await extensionFixture(
			{ steps: [callOf("bash", { command: "echo one" }), "Ok."] },
			{
				files: {
					"a.ts": on(
						"tool_result",
						`({ content }) => ({ content: [...content, { type: "text", text: "two" }], details: { by: "a" } })`,
					),
					"b.ts": on("tool_result", `() => { throw new Error("broken"); }`),
					"c.ts": on(
						"tool_result",
						`({ content, isError, details }) => ({ isError: !isError, content: [...content, { type: "text", text: "three " + details.by }] })`,
					),
				},
			},
		);
		await fixture.prompt("go");
		const result = fixture.session.state.messages.find(({ role }) => role === "toolResult");
		expect(result).toMatchObject({
			isError: true,
			details: { by: "a" },
			content: [{ text: expect.stringContaining("one") }, { text: "two" }, { text: "three a" }],
		});
		expect(errorsOf(fixture)).toEqual([expect.stringContaining("tool_result: broken")]);
	});
});

test("context: changes reach the model, and the conversation stays unchanged", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two."] },
		{
			files: {
				"a.ts": on("context", `({ messages }) => { messages[0].content = "changed in place"; }`),
				"b.ts": on(
					"context",
					`({ messages }) => ({ messages: [...messages, { role: "user", content: "added", timestamp: 0 }] })`,
				),
			},
		},
	);
	await fixture.prompt("said");
	expect(fixture.request(0)).toContain("changed in place");
	expect(fixture.request(0)).toContain("added");
	expect(fixture.session.state.messages[0]).toMatchObject({ content: "said" });
	expect(fixture.session.state.messages).toHaveLength(2);
});

test("input: handlers are chained, and the first that handles it ends the chain", async () => {
	const handled = `({ text }) => text.includes("stop") ? { action: "handled" } : undefined`;
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"a.ts": on("input", `({ text, source }) => ({ action: "transform", text: text + " " + source })`),
				"b.ts": on("input", handled),
				"c.ts": on("input", `({ text }) => ({ action: "transform", text: text + "!" })`),
			},
		},
	);
	await fixture.prompt("please stop");
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(1);
	expect(fixture.request(0)).toContain("go interactive!");
});

test("before_provider_request: the body of the last handler is sent", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Ok."] },
		{
			files: {
				"a.ts": on("before_provider_request", `({ payload }) => ({ ...payload, temperature: 0.5 })`),
				"b.ts": on(
					"before_provider_request",
					`({ payload }) => ({ ...payload, temperature: payload.temperature / 2 })`,
				),
				"c.ts": on(
					"after_provider_response",
					`({ status, headers }, ctx) => ctx.ui.notify(status + " " + headers["content-type"])`,
				),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.played.requests[0]?.body).toMatchObject({ temperature: 0.25 });
	expect(fixture.shown).toEqual([expect.stringMatching(/^notify: 200 text\/event-stream/)]);
});

test("message_end: a replacement message is stored, unless its role differs", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Secret."] },
		{
			files: {
				"a.ts": on(
					"message_end",
					`({ message }) => message.role === "assistant" ? { message: { ...message, content: [{ type: "text", text: "Hidden." }] } } : undefined`,
				),
				"b.ts": on("message_end", `({ message }) => ({ message: { role: "custom", content: "x" } })`),
			},
		},
	);
	await fixture.prompt("go");
	expect(JSON.stringify(fixture.log.getEntries())).toContain("Hidden.");
	expect(JSON.stringify(fixture.log.getEntries())).not.toContain("Secret.");
	expect(fixture.session.state.messages).toMatchObject([
		{ role: "user" },
		{ content: [{ text: "Hidden." }] },
	]);
});

describe("compaction", () => {
	const long = "word ".repeat(2000);
	const compacting = (body: string): Record<string, string> => ({
		"a.ts": on("session_before_compact", body),
		"b.ts": on(
			"session_compact",
			`({ compactionEntry, fromExtension }, ctx) => ctx.ui.notify(compactionEntry.summary + " " + fromExtension)`,
		),
	});

	async function compact(files: Record<string, string>, answers: string[] = []): Promise<ExtensionFixture> {
		const fixture = await extensionFixture(
			{ steps: ["One.", "Two.", "Three.", ...answers] },
			{ files, contextWindow: 10_000 },
		);
		for (const text of [long, long, "more"]) await fixture.prompt(text);
		return fixture;
	}

	test("can be written by an extension", async () => {
		await using fixture = await compact(
			compacting(
				`({ preparation, branchEntries }) => ({ compaction: { summary: "mine of " + branchEntries.length, firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: preparation.tokensBefore } })`,
			),
		);
		const result = await fixture.session.compact();
		expect(result.summary).toBe("mine of 6");
		expect(fixture.shown).toEqual(["notify: mine of 6 true"]);
		expect(fixture.log.getEntries().at(-1)).toMatchObject({ type: "compaction", fromHook: true });
		expect(fixture.played.requests).toHaveLength(3);
	});

	test("can be cancelled by an extension, and nothing changes", async () => {
		await using fixture = await compact(compacting("() => ({ cancel: true })"));
		await expect(fixture.session.compact()).rejects.toThrow("An extension cancelled the compaction.");
		expect(fixture.session.state.messages).toHaveLength(6);
		expect(fixture.shown).toEqual([]);
	});

	test("that keeps an unknown entry fails, and nothing changes", async () => {
		await using fixture = await compact(
			compacting(`() => ({ compaction: { summary: "x", firstKeptEntryId: "nowhere", tokensBefore: 1 } })`),
		);
		await expect(fixture.session.compact()).rejects.toThrow("nowhere");
		expect(fixture.session.state.messages).toHaveLength(6);
	});

	test("by the model uses the instructions of an extension", async () => {
		const files = {
			...compacting("() => undefined"),
			"c.ts": on("session.compacting", `() => ({ context: ["Mind the colors."] })`),
		};
		await using fixture = await compact(files, ["Summed up."]);
		await fixture.session.compact("Be short.");
		expect(fixture.request(3)).toContain("Be short.\\n<additional-context>\\nMind the colors.");
		expect(fixture.shown).toEqual([expect.stringMatching(/^notify: Summed up\..* false$/s)]);
	});

	test("started by an extension reports its outcome", async () => {
		const command = `export default (pi) => pi.registerCommand("compact-now", { handler: (args, ctx) => new Promise((done) => ctx.compact({ customInstructions: args, onComplete: (result) => done(ctx.ui.notify(result.summary)), onError: (error) => done(ctx.ui.notify("error: " + error.message)) })) });`;
		await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": command } });
		await fixture.prompt("/compact-now soon");
		expect(fixture.shown).toEqual([expect.stringContaining("notify: error: Nothing to compact")]);
	});
});

test("session_before_switch and session_before_fork: the first cancel decides, under the old name too", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"a.ts": on(
					"session_before_switch",
					`({ reason, targetSessionFile }) => ({ cancel: reason === "resume" && targetSessionFile === "/b" })`,
				),
				"b.ts": on("session_before_branch", `({ entryId }) => ({ cancel: entryId === "keep" })`),
			},
		},
	);
	const { extensions } = fixture;
	expect(await extensions.confirmLeave({ to: "new" })).toBe(true);
	expect(await extensions.confirmLeave({ to: "resume", targetSessionFile: "/a" })).toBe(true);
	expect(await extensions.confirmLeave({ to: "resume", targetSessionFile: "/b" })).toBe(false);
	expect(await extensions.confirmLeave({ to: "fork", entryId: "keep", position: "at" })).toBe(false);
	expect(await extensions.confirmLeave({ to: "fork", entryId: "x", position: "before" })).toBe(true);
});

test("resources_discover: the directories of all handlers are collected", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: {
				"a.ts": on("resources_discover", `() => ({ skillPaths: ["/s"], promptPaths: ["/p"] })`),
				"b.ts": on("resources_discover", `() => ({ skillPaths: ["/t"] })`),
			},
		},
	);
	expect(fixture.extensions.resources).toEqual({
		skillPaths: ["/s", "/t"],
		promptPaths: ["/p"],
		themePaths: [],
	});
});

test("an extension that fails on every event does not flood the screen, and the answer arrives", async () => {
	await using fixture = await extensionFixture(
		{ steps: [{ answer: { blocks: [{ text: "x".repeat(500), chunks: 100 }] } }] },
		{ files: { "bad.ts": on("message_update", "() => { throw new Error('again'); }") } },
	);
	await fixture.prompt("go");
	expect(errorsOf(fixture).length).toBeLessThanOrEqual(20);
	expect(fixture.session.state.messages.at(-1)).toMatchObject({ stopReason: "stop" });
});

test("a handler that never returns does not block the end of the session", async () => {
	const fixture = await extensionFixture(
		{ steps: [] },
		{
			files: { "slow.ts": on("session_shutdown", "() => new Promise(() => {})") },
			deadline: { slowMs: 5, limitMs: 10 },
		},
	);
	await fixture[Symbol.asyncDispose]();
	expect(errorsOf(fixture)).toEqual([expect.stringContaining("session_shutdown: Timed out")]);
});
