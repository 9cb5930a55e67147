/** The events of a session arrive in the order that pi's documentation shows, at each extension in turn. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

/** Records every named event with what identifies it. */
const recorder = (names: readonly string[]): string => `
	export default (pi) => {
		const note = (line) => (globalThis.noted ??= []).push(line);
		for (const name of ${JSON.stringify(names)})
			pi.on(name, (event, ctx) => {
				const entries = ctx.sessionManager.getEntries().length;
				note([name, event.reason ?? event.turnIndex ?? event.message?.role ?? event.toolName ?? event.status, name === "tool_call" ? "entries " + entries : undefined].filter((part) => part !== undefined).join(" "));
			});
	};`;

function noted(): string[] {
	const lines: unknown = Reflect.get(globalThis, "noted");
	Reflect.deleteProperty(globalThis, "noted");
	return Array.isArray(lines) ? lines.map(String) : [];
}

test("one prompt with a tool", async () => {
	const names = [
		"session_start",
		"resources_discover",
		"input",
		"before_agent_start",
		"agent_start",
		"agent_end",
		"turn_start",
		"turn_end",
		"message_start",
		"message_end",
		"context",
		"before_provider_request",
		"after_provider_response",
		"tool_execution_start",
		"tool_call",
		"tool_result",
		"tool_execution_end",
		"session_shutdown",
	];
	{
		await using fixture = await extensionFixture(
			{ steps: [callOf("bash", { command: "true" }), "Ok."] },
			{ files: { "recorder.ts": recorder(names) } },
		);
		await fixture.prompt("go");
	}
	const turn = ["context", "before_provider_request", "after_provider_response 200"];
	expect(noted()).toEqual([
		"session_start startup",
		"resources_discover startup",
		"input",
		"before_agent_start",
		"agent_start",
		"turn_start 0",
		"message_start user",
		"message_end user",
		...turn,
		"message_start assistant",
		"message_end assistant",
		// The log holds the prompt and the answer that asks for the call.
		"tool_call bash entries 2",
		// Behind `tool_call`, which may change the arguments: it carries what will run.
		"tool_execution_start bash",
		"tool_result bash",
		"tool_execution_end bash",
		"message_start toolResult",
		"message_end toolResult",
		"turn_end 0",
		"turn_start 1",
		...turn,
		"message_start assistant",
		"message_end assistant",
		"turn_end 1",
		"agent_end",
		"session_shutdown quit",
	]);
});

test("session changes are emitted under all of their names", async () => {
	const names = ["session_start", "session_switch", "session_fork", "session_branch", "session_shutdown"];
	const files = { "recorder.ts": recorder(names) };
	await using fixture = await extensionFixture({ steps: [] }, { files });
	for (const reason of ["new", "resume", "fork", "reload"] as const) {
		await fixture.extensions.sessionEnding({ reason });
		fixture.next();
		await fixture.extensions.sessionStarted(reason, "/before.jsonl");
	}
	expect(noted()).toEqual([
		"session_start startup",
		"session_shutdown new",
		"session_start new",
		"session_switch new",
		"session_shutdown resume",
		"session_start resume",
		"session_switch resume",
		"session_shutdown fork",
		"session_start fork",
		"session_fork",
		"session_branch",
		"session_shutdown reload",
		"session_start reload",
	]);
});

test("selecting a model or a level is emitted once, and selecting the same again is not", async () => {
	const source = `
		export default (pi) => {
			pi.on("model_select", (event, ctx) => ctx.ui.notify(event.previousModel.id + " -> " + event.model.id + " " + event.source));
			pi.on("thinking_level_select", (event, ctx) => ctx.ui.notify(event.previousLevel + " -> " + event.level));
			pi.registerCommand("think", { handler: () => pi.setThinkingLevel("high") });
			pi.registerCommand("other", { async handler(_args, ctx) {
				const model = ctx.modelRegistry.find("played", "played-1");
				ctx.ui.notify(String(await pi.setModel({ ...model, id: "played-2", reasoning: true })));
				ctx.ui.notify(String(await pi.setModel({ ...model, provider: "openai" })));
			} });
		};`;
	await using fixture = await extensionFixture({ steps: [] }, { files: { "a.ts": source } });
	await fixture.prompt("/think");
	await fixture.prompt("/other");
	await fixture.prompt("/think");
	await fixture.prompt("/think");
	expect(fixture.shown).toEqual([
		"notify: played-1 -> played-2 set",
		"notify: true",
		"notify: false",
		"notify: off -> high",
	]);
	const kinds = fixture.log.getEntries().map(({ type }) => type);
	expect(kinds).toEqual(["model_change", "thinking_level_change"]);
});
