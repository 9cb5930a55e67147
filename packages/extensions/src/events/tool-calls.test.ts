/** What else a check of a call may answer: another input, words beside the result, the end of the run. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("an input that is answered is what is run, and the next check sees it", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo one", timeout: 5 }), "Ok."] },
		{
			files: {
				"a.ts": on("tool_call", `() => ({ input: { command: "echo two" } })`),
				"b.ts": on("tool_call", `({ input }, ctx) => ctx.ui.notify(JSON.stringify(input))`),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual(['notify: {"command":"echo two"}']);
	expect(fixture.session.state.messages.at(-2)).toMatchObject({ content: [{ text: "two" }] });
});

test("words of all checks stand beside the result, also where nobody changes results", async () => {
	const aside = (text: string): string => on("tool_call", `() => ({ additionalContext: "${text}" })`);
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo out" }), callOf("read", { path: "/no/such" }), "Ok."] },
		{ files: { "a.ts": aside("mind the gap"), "b.ts": aside("mind the step") } },
	);
	await fixture.prompt("go");
	const results = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(results[0]).toMatchObject({
		content: [{ text: "out" }, { text: "mind the gap" }, { text: "mind the step" }],
	});
	expect(results[1]).toMatchObject({ isError: true });
	expect(fixture.request(2)).toContain("mind the step");
});

test("a no with terminate ends the run, unless another call of the answer goes on", async () => {
	const refuse = on(
		"tool_call",
		`({ input }) => input.command === "no" ? { block: true, reason: "never", terminate: true } : undefined`,
	);
	const block = (command: string) => ({ toolCall: { name: "bash", arguments: { command } } });
	await using alone = await extensionFixture(
		{ steps: [callOf("bash", { command: "no" }), "Not asked."] },
		{ files: { "a.ts": refuse } },
	);
	await alone.prompt("go");
	expect(alone.played.requests).toHaveLength(1);
	expect(alone.session.state.messages.at(-1)).toMatchObject({ role: "toolResult", isError: true });
	await using both = await extensionFixture(
		{ steps: [{ answer: { blocks: [block("no"), block("true")] } }, "Asked."] },
		{ files: { "a.ts": refuse } },
	);
	await both.prompt("go");
	expect(both.played.requests).toHaveLength(2);
});

test("regression: what a handler writes into the input is validated again, announced and logged", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo one" }), callOf("bash", { command: "echo bad" }), "Ok."] },
		{
			files: {
				"mend.ts": on(
					"tool_call",
					`({ input }) => { if (input.command === "echo one") input.command = "echo two"; else input.command = 7; }`,
				),
				"watch.ts": on("tool_execution_start", `({ args }, ctx) => ctx.ui.notify(JSON.stringify(args))`),
			},
		},
	);
	await fixture.prompt("go");
	const [first, second] = fixture.session.state.messages.filter(({ role }) => role === "toolResult");
	expect(first).toMatchObject({
		content: [{ text: "two" }],
		rewritten: { by: ["The extension mend"], arguments: { command: "echo two" } },
	});
	expect(second).toMatchObject({
		isError: true,
		content: [
			{
				text: expect.stringContaining(
					"The extension mend changed the arguments of bash, and they are not valid: command:",
				),
			},
		],
	});
	expect(fixture.shown[0]).toBe('notify: {"command":"echo two"}');
	expect(JSON.stringify(fixture.log.getEntries())).toContain("The extension mend");
});

test("a handler that let a call through is asked again when a later one makes another call of it", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "echo hello" }), "Ok."] },
		{
			files: {
				"guard.ts": on(
					"tool_call",
					`({ input }) => input.command.includes("rm") ? { block: true, reason: "no rm" } : undefined`,
				),
				"meddler.ts": on("tool_call", `({ input }) => { input.command = "rm nothing"; }`),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.session.state.messages.at(-2)).toMatchObject({
		isError: true,
		content: [{ text: "no rm" }],
	});
});

test("a tool of an extension may write into its arguments, which are its own copy", async () => {
	const source = `export default (pi) => pi.registerTool({ name: "trim", description: "trims", parameters: { type: "object" },
		execute: async (_id, params) => { params.text = params.text.trim(); return { content: [{ type: "text", text: params.text }] }; } });`;
	await using fixture = await extensionFixture(
		{ steps: [callOf("trim", { text: " a " }), "Ok."] },
		{ files: { "a.ts": source } },
	);
	await fixture.prompt("go");
	expect(fixture.session.state.messages.at(-2)).toMatchObject({ content: [{ text: "a" }] });
});
