/** What extensions do beside the conversation: side turns, jobs, timers, and context for a tool's result. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const command = (body: string): Record<string, string> => ({
	"a.ts": `export default (pi) => pi.registerCommand("go", { async handler(args, ctx) { ${body} } });`,
});

test("runEphemeralTurn: sends the conversation, streams, and leaves no trace in it", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Aside.", "Two."] },
		{
			files: command(`
				const deltas = [];
				const { replyText } = await ctx.runEphemeralTurn({ promptText: "by the way?", onTextDelta: (delta) => { deltas.push(delta); } });
				ctx.ui.notify(replyText + " " + (deltas.join("") === replyText));`),
		},
	);
	await fixture.prompt("first");
	await fixture.prompt("/go");
	expect(fixture.shown).toEqual(["notify: Aside. true"]);
	expect(fixture.request(1)).toContain("first");
	expect(fixture.request(1)).toContain("by the way?");
	expect(fixture.session.usage.totals.output).toBeGreaterThan(1);
	expect(fixture.log.getEntries().findLast(({ type }) => type === "usage")).toMatchObject({
		kind: "side-turn",
	});
	await fixture.prompt("second");
	expect(fixture.request(2)).not.toContain("by the way?");
	expect(fixture.request(2)).not.toContain("Aside.");
});

test("runEphemeralTurn: inside a tool its own open call is left out, and tools: false offers none", async () => {
	const tool = `export default (pi) => pi.registerTool({
		name: "think", description: "thinks", parameters: { type: "object", properties: {} },
		async execute(id, params, signal, onUpdate, ctx) {
			const { replyText } = await ctx.runEphemeralTurn({ promptText: "well?", tools: false, history: [{ role: "user", content: "before", timestamp: 1 }] });
			return { content: [{ type: "text", text: replyText }] };
		},
	});`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("think"), "Inner.", "Done."] },
		{ files: { "a.ts": tool } },
	);
	await fixture.prompt("go");
	const inner = fixture.played.requests[1]?.body as { messages: unknown[]; tools?: unknown };
	expect(JSON.stringify(inner.messages)).toContain("before");
	expect(JSON.stringify(inner.messages)).not.toContain("tool_use");
	expect(inner.tools ?? []).toEqual([]);
	expect(fixture.request(2)).toContain("Inner.");
});

test("runEphemeralTurn: too large a request, a failed answer and a nested turn report why there is no answer", async () => {
	await using fixture = await extensionFixture(
		{ steps: [{ fault: { http: 400 } }, "One."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					const tried = async (ctx, options) => ctx.runEphemeralTurn(options).then(() => "answered", ({ message }) => message);
					let inner;
					pi.on("context", async (_, ctx) => { inner = await tried(ctx, { promptText: "inner" }); });
					pi.registerCommand("go", { async handler(args, ctx) {
						ctx.ui.notify("bytes: " + await tried(ctx, { promptText: "x".repeat(99), maxContextBytes: 10 }));
						ctx.ui.notify("failed: " + await tried(ctx, { promptText: "x" }));
						ctx.ui.notify("inner: " + inner);
						ctx.ui.notify("thrown: " + await tried(ctx, { promptText: "x", onTextDelta() { throw new Error("full"); } }));
					} });
				};`,
			},
		},
	);
	await fixture.prompt("/go");
	const [bytes, failed, inner, thrown] = fixture.shown;
	expect(bytes).toContain("10 are allowed");
	expect(failed).not.toContain("answered");
	expect(inner).toContain("already running in this session");
	expect(thrown).toContain("thrown: full");
});

test("getAsyncJobSnapshot: empty before the first job, then running and finished jobs", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "sleep 60", async: true }), "Ok."] },
		{
			files: command(`
				const jobs = ctx.getAsyncJobSnapshot();
				ctx.ui.notify(jobs ? jobs.running.map(({ label, status }) => status + " " + label).join() + jobs.recent.length : "none");`),
			tools: ["bash", "job"],
		},
	);
	await fixture.prompt("/go");
	await fixture.prompt("start");
	await fixture.prompt("/go");
	expect(fixture.shown).toEqual(["notify: none", "notify: running sleep 600"]);
});

test("clearTimer: a cleared timer never fires", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: command(`
				const ticking = ctx.setInterval(() => { ctx.ui.notify("tick"); ctx.clearTimer(ticking); ctx.setTimeout(() => ctx.ui.notify("end"), 5); }, 1);
				ctx.clearTimer(ctx.setTimeout(() => ctx.ui.notify("never")));`),
		},
	);
	await fixture.prompt("/go");
	await fixture.until("end");
	expect(fixture.shown).toEqual(["notify: tick", "notify: end"]);
});

test("addAdditionalContext: the model reads it with the result of that call only", async () => {
	const tool = `export default (pi) => pi.registerTool({
		name: "look", description: "looks", parameters: { type: "object", properties: {} },
		async execute(id, params, signal, onUpdate, ctx) {
			ctx.addAdditionalContext("Mind the gap.");
			return { content: [{ type: "text", text: "seen" }] };
		},
	});`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("look"), callOf("bash", { command: "true" }), "Done."] },
		{ files: { "a.ts": tool } },
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).toContain("Mind the gap.");
	expect(fixture.request(2).split("Mind the gap.")).toHaveLength(2);
});
