/** A tool calls other tools: with the checks and events of any call, bounded, and outside of the conversation. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const extension = (body: string): string =>
	`import { Type } from "typebox";
	export default (pi) => {
		const define = (name, execute, more = {}) => pi.registerTool({ name, label: name, description: "Does " + name, parameters: Type.Object({}, { additionalProperties: true }), execute, ...more });
		const text = (value) => ({ content: [{ type: "text", text: value }] });
		${body}
	};`;

test("a called tool is checked and hooked, emits its events, and leaves no message", async () => {
	const seen: string[] = [];
	await using fixture = await extensionFixture(
		{ steps: [callOf("outer"), "Ok."] },
		{
			files: {
				"a.ts": extension(`
					define("inner", async (_id, { word }, _signal, onUpdate) => {
						onUpdate(text("half"));
						return { ...text("inner " + word), structuredContent: { word } };
					}, { exposure: "codemode", annotations: { readOnlyHint: true } });
					define("alone", async () => text("alone"), { exposure: "model-only" });
					define("outer", async (_id, _params, signal, _update, ctx) => {
						const parts = [];
						const one = await ctx.executeTool("inner", { word: "a" }, { onUpdate: ({ content }) => parts.push(content[0].text) });
						const two = await ctx.executeTool("inner", { word: "secret" });
						const none = await ctx.executeTool("alone", {});
						const names = ctx.tools.map(({ name }) => name);
						return text(JSON.stringify([parts, one, two.isError, two.content[0].text, none.isError, names]));
					});
					pi.on("tool_call", ({ toolName, input, parentToolCallId }) => {
						if (toolName === "inner" && !parentToolCallId) throw new Error("no parent");
						if (input.word === "secret") return { block: true, reason: "not this one" };
					});
					pi.on("tool_result", ({ toolName, content, structuredContent, parentToolCallId }) => {
						if (toolName === "inner" && parentToolCallId && structuredContent) return { content: [{ type: "text", text: content[0].text + "!" }], structuredContent };
					});`),
			},
		},
	);
	fixture.session.subscribe((event) => {
		if (event.type.startsWith("tool_execution_") && "toolCallId" in event)
			seen.push(`${event.type} ${event.toolCallId.replace(/^[^/]*/, "id")}`);
	});
	expect(fixture.session.state.tools.map(({ name }) => name)).not.toContain("inner");
	await fixture.prompt("go");
	const { messages } = fixture.session.state;
	expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
	const result = messages.find((message) => message.role === "toolResult");
	const [part] = result?.role === "toolResult" ? result.content : [];
	const [parts, one, isBlocked, reason, isUnreachable, names] = JSON.parse(
		part?.type === "text" ? part.text : "",
	);
	expect(parts).toEqual(["half"]);
	expect(one).toMatchObject({
		isError: false,
		content: [{ text: "inner a!" }],
		structuredContent: { word: "a" },
	});
	expect([isBlocked, reason, isUnreachable]).toEqual([true, "not this one", true]);
	expect(names).toEqual(["read", "write", "bash", "inner", "outer"]);
	expect(seen.filter((line) => line.includes("/1"))).toEqual([
		"tool_execution_start id/1",
		"tool_execution_update id/1",
		"tool_execution_end id/1",
	]);
	const info = fixture.extensions.runner.tools.info().find(({ name }) => name === "inner");
	expect(info).toMatchObject({ exposure: "codemode", annotations: { readOnlyHint: true } });
});

test("a tool that calls itself is stopped, and the run continues", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("again"), "Ok."] },
		{
			files: {
				"a.ts": extension(`
					define("again", async (_id, _params, _signal, _update, ctx) => {
						const { content, isError } = await ctx.executeTool("again", {});
						return { content, isError };
					});`),
			},
		},
	);
	await fixture.prompt("go");
	const { messages } = fixture.session.state;
	expect(messages[2]).toMatchObject({
		isError: true,
		content: [{ text: "Tools that call tools are nested 8 deep: again was not run." }],
	});
	expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
});
