/** The end of a run: extensions may make the model continue, within limits, and learn when the session is idle. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";
import { limits } from "../support/limits.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("session_stop: the reasons of all handlers are sent in one message, in another run", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two."] },
		{
			files: {
				"a.ts": on(
					"session_stop",
					`({ stop_hook_active, last_assistant_message, turn_id }) => stop_hook_active ? undefined
						: { continue: true, additionalContext: "after " + last_assistant_message.content[0].text + turn_id }`,
				),
				"b.ts": on(
					"session_stop",
					`({ stop_hook_active }) => stop_hook_active ? undefined : { decision: "block", reason: "and this" }`,
				),
				"c.ts": on("session_stop", `() => { throw new Error("broken"); }`),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).toContain("after One.1\\nand this");
	expect(fixture.played.requests).toHaveLength(2);
});

test("session_stop: a handler that always continues is limited", async () => {
	const steps = Array.from({ length: limits.stopContinuations + 1 }, (_, at) => `Answer ${at}.`);
	await using fixture = await extensionFixture(
		{ steps },
		{ files: { "a.ts": on("session_stop", `() => ({ continue: true, additionalContext: "more" })`) } },
	);
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(limits.stopContinuations + 1);
});

test("session_stop: a failed or aborted run does not continue", async () => {
	await using failed = await extensionFixture(
		{ steps: [{ fault: { http: 400 } }] },
		{ files: { "a.ts": on("session_stop", `() => ({ continue: true })`) } },
	);
	await failed.prompt("go");
	expect(failed.played.requests).toHaveLength(1);
	await using stopped = await extensionFixture(
		{ steps: [callOf("bash", { command: "sleep 60" })] },
		{ files: { "a.ts": on("session_stop", `(_, ctx) => ctx.ui.notify("asked")`) } },
	);
	stopped.session.subscribe((event) => {
		if (event.type === "tool_execution_start") stopped.session.abort();
	});
	await stopped.prompt("go");
	expect(stopped.shown).toEqual([]);
});

test("agent_settled: emitted once after all retries and queued messages, and reports an abort", async () => {
	const settled = on(
		"agent_settled",
		`({ aborted }, ctx) => ctx.ui.notify("settled " + aborted + " " + ctx.isIdle())`,
	);
	await using fixture = await extensionFixture(
		{ steps: [{ fault: { http: 529 } }, "One.", callOf("bash", { command: "sleep 60" })] },
		{ files: { "a.ts": settled }, retries: 2 },
	);
	await fixture.prompt("go");
	await fixture.until("settled");
	expect(fixture.shown).toEqual(["notify: settled false true"]);
	fixture.session.subscribe((event) => {
		if (event.type === "tool_execution_start") fixture.session.abort();
	});
	await fixture.prompt("on");
	await fixture.until("settled true");
	expect(fixture.shown).toEqual(["notify: settled false true", "notify: settled true true"]);
});
