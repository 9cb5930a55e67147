/** The context of handlers, tools and commands, and which parts of it end with the session. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, type ExtensionFixture, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const command = (body: string): Record<string, string> => ({
	"a.ts": `export default (pi) => pi.registerCommand("go", { async handler(args, ctx) { ${body} } });`,
});

function errorsOf({ events }: ExtensionFixture): string[] {
	return events.flatMap((event) =>
		event.type === "extension_error" ? [`${event.event}: ${event.error}`] : [],
	);
}

test("a failing timer is reported for its extension, and all timers end with the session", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: command(`
			ctx.setTimeout(() => { throw new Error("too late"); });
			ctx.setTimeout(async () => { throw new Error("later still"); });
			clearTimeout(ctx.setTimeout(() => { throw new Error("never"); }));
			ctx.setInterval(() => ctx.ui.notify("tick"), 1);`),
		},
	);
	const reported = Promise.withResolvers<void>();
	fixture.session.subscribe(() => {
		if (errorsOf(fixture).length === 2) reported.resolve();
	});
	await fixture.prompt("/go");
	await reported.promise;
	expect(errorsOf(fixture)).toEqual([
		expect.stringContaining("timer: too late"),
		expect.stringContaining("timer: later still"),
	]);
	await fixture.until("tick");
	await fixture.extensions.sessionEnding({ reason: "new" });
	const { length } = fixture.shown;
	// A timer due later than the next tick would have fired by now.
	await new Promise((resolve) => {
		setTimeout(resolve, 5);
	});
	expect(fixture.shown).toHaveLength(length);
});

test("the context has the mode, trust, models and settings of the run", async () => {
	await using fixture = await extensionFixture(
		{ steps: [] },
		{
			files: command(`ctx.ui.notify(JSON.stringify([
				ctx.mode, ctx.isProjectTrusted(), ctx.models.current().id, ctx.models.resolve("played/played-1").id,
				ctx.models.resolve("no-such-model") ?? null, ctx.models.list().length > 0, ctx.scopedModels, ctx.thinkingLevel,
				pi.getSettings().steeringMode, typeof pi.getSettings().compaction, ctx.getSystemPromptOptions().cwd === ctx.cwd]));`),
			isTrusted: true,
		},
	);
	await fixture.prompt("/go");
	expect(fixture.shown).toEqual([
		`notify: ["print",true,"played-1","played-1",null,true,[],"off","one-at-a-time","object",true]`,
	]);
});

test("an unsubscribed handler is not called again", async () => {
	const source = `export default (pi) => {
		const stop = pi.on("agent_start", (_, ctx) => { ctx.ui.notify("once"); stop(); });
		pi.on("project_trust", () => {});
	};`;
	await using fixture = await extensionFixture({ steps: ["One.", "Two."] }, { files: { "a.ts": source } });
	await fixture.prompt("go");
	await fixture.prompt("on");
	expect(fixture.shown).toEqual(["notify: once"]);
	// Tau never emits this event, but subscribing to it is not a mistake.
	expect(fixture.extensions.runner.extensions[0]?.warnings).toEqual([]);
});

test("a tool can delegate a call to the tool that it replaces, and to no other", async () => {
	const source = `export default (pi) => {
		const execute = async (id, params, signal, onUpdate, ctx) => ctx.invokeTool
			? ctx.invokeTool({ ...params, command: "echo from inside" }, { signal })
			: { content: [{ type: "text", text: "no such tool" }] };
		const parameters = { type: "object", properties: { command: { type: "string" } } };
		pi.registerTool({ name: "bash", description: "", parameters, execute });
		pi.registerTool({ name: "other", description: "", parameters, execute });
	};`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "false" }), callOf("other"), "Ok."] },
		{ files: { "a.ts": source } },
	);
	await fixture.prompt("go");
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results).toMatchObject([
		{ content: [{ text: "from inside" }] },
		{ content: [{ text: "no such tool" }] },
	]);
});

test("headers are changed in place, and null removes one", async () => {
	const files = {
		"a.ts": `export default (pi) => pi.on("before_provider_headers", ({ headers }) => { headers["x-one"] = "1"; headers["x-two"] = "2"; });`,
		"b.ts": `export default (pi) => pi.on("before_provider_headers", ({ headers }) => { headers["x-two"] = null; });`,
	};
	await using fixture = await extensionFixture({ steps: ["Ok."] }, { files });
	await fixture.prompt("go");
	const headers = fixture.played.requests[0]?.headers ?? {};
	expect([headers["x-one"], headers["x-two"]]).toEqual(["1", undefined as never]);
});

test("no dialog event is emitted if nobody can answer", async () => {
	const files = {
		...command(`ctx.ui.notify(String(await ctx.ui.confirm("Sure?", "?")));`),
		"b.ts": `export default (pi) => pi.on("ui_prompt_start", (_, ctx) => ctx.ui.notify("asked"));`,
	};
	await using fixture = await extensionFixture({ steps: [] }, { files });
	await fixture.prompt("/go");
	expect(fixture.shown).toEqual(["notify: false"]);
});

test("API that only pi and omp support can be called, and warns that it has no effect", async () => {
	const source = `export default (pi) => {
		pi.registerComposerShape({ id: "round" });
		pi.registerToolRenderer((name, next) => name === "ls" ? { renderCall: () => ({ render: () => ["mine"], invalidate() {} }) } : next());
	};`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	expect(fixture.extensions.problems).toEqual([]);
	const { runner } = fixture.extensions;
	expect(runner.extensions[0]?.warnings).toEqual([
		"registerComposerShape has no effect: nothing in Tau supports custom editor layouts yet.",
	]);
	const draw = (toolName: string): string[] | undefined =>
		runner
			.toolRenderer(toolName)
			?.renderCall?.({}, {} as never, { toolName } as never)
			?.render(80);
	expect([draw("ls"), draw("read")]).toEqual([["mine"], undefined]);
});

test("an aside is answered at once when idle, and after the tool results during a run", async () => {
	const files = {
		"a.ts": `export default (pi) => {
			const say = (content) => pi.sendMessage({ customType: "aside", content, display: true }, { deliverAs: "aside" });
			pi.registerCommand("go", { handler: () => say("by the way") });
			pi.on("tool_execution_start", () => say("meanwhile"));
		};`,
	};
	await using fixture = await extensionFixture(
		{ steps: ["Yes?", callOf("bash", { command: "true" }), "Ok."] },
		{ files },
	);
	await fixture.prompt("/go");
	await fixture.session.waitForIdle();
	expect(fixture.request(0)).toContain("by the way");
	await fixture.prompt("work");
	expect(fixture.request(2)).toContain("meanwhile");
});
