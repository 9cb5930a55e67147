/** The last boundary of a run: extensions add entries to the session, and may make the model continue. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";
import { limits } from "../support/limits.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

const reminder = `{ type: "custom_message", customType: "review", content: "Look again.", display: false }`;

test("agent_before_settle: proposed entries are chained, stored, and answered once", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					let asked = 0;
					pi.on("agent_before_settle", ({ entries, outcome, context }, ctx) => {
						ctx.ui.notify([outcome, context.contextMessages.length, context.canContinue, ctx.isIdle()].join(" "));
						if (asked++ > 0) return;
						return { entries: [...entries, ${reminder}, { type: "custom", customType: "mark", data: 1 }], continue: true };
					});
				};`,
				"b.ts": on(
					"agent_before_settle",
					`(event, ctx) => ctx.ui.notify("b " + event.entries.length + " " + event.continue + " " + event.context.canContinue)`,
				),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(2);
	expect(fixture.request(1)).toContain("Look again.");
	expect(fixture.shown).toEqual([
		"notify: completed 2 false false",
		"notify: b 2 true true",
		"notify: completed 4 false false",
		"notify: b 0 false false",
	]);
	expect(fixture.log.getEntries().map(({ type }) => type)).toEqual(
		expect.arrayContaining(["custom", "custom_message"]),
	);
});

test("agent_before_settle: without continue a message is only stored, and sent with the next prompt", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					let isDone = false;
					pi.on("agent_before_settle", () => {
						if (isDone) return;
						isDone = true;
						return { entries: [${reminder}] };
					});
				};`,
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(1);
	await fixture.prompt("on");
	expect(fixture.request(1)).toContain("Look again.");
});

test("agent_before_settle: an edit removes an answer from the context, but not from the session", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Wrong.", "Right.", "Later."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					let isDone = false;
					pi.on("agent_before_settle", ({ context }) => {
						if (isDone) return;
						isDone = true;
						const last = context.contextEntries.findLast(({ messages }) => messages[0]?.role === "assistant");
						return {
							entries: [{ type: "context_edit", targetId: last.sourceEntry.id, replacement: null }, ${reminder}],
							continue: true,
						};
					});
				};`,
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).not.toContain("Wrong.");
	expect(JSON.stringify(fixture.log.getEntries())).toContain("Wrong.");
	await fixture.prompt("on");
	expect(fixture.request(2)).not.toContain("Wrong.");
	expect(fixture.request(2)).toContain("Right.");
});

test("turn_end: an answer is dropped and requested again, with its ids in the session", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "true" }), "Wrong.", "Right."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					let isDone = false;
					pi.on("turn_end", (event, ctx) => {
						const { message } = ctx.sessionManager.getEntry(event.messageEntryId);
						ctx.ui.notify([event.turnIndex, event.outcome, message.role, event.toolResultEntryIds.length].join(" "));
						if (isDone || event.toolResults.length > 0) return;
						isDone = true;
						return {
							entries: [...event.entries, { type: "context_edit", targetId: event.messageEntryId, replacement: null }, ${reminder}],
							continue: true,
						};
					});
				};`,
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual([
		"notify: 0 completed assistant 1",
		"notify: 1 completed assistant 0",
		"notify: 0 completed assistant 0",
	]);
	expect(fixture.request(2)).not.toContain("Wrong.");
	expect(fixture.request(2)).toContain("Look again.");
	expect(fixture.played.requests).toHaveLength(3);
});

test("turn_end: between calls a message is sent with the results; after an abort it is stored", async () => {
	const always = on(
		"turn_end",
		`({ turnIndex }) => turnIndex > 0 ? undefined : ({ entries: [${reminder}] })`,
	);
	await using fixture = await extensionFixture(
		{ steps: [callOf("bash", { command: "true" }), "Done."] },
		{ files: { "a.ts": always } },
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).toContain("Look again.");
	await using stopped = await extensionFixture(
		{ steps: [callOf("bash", { command: "sleep 60" })] },
		{
			files: { "a.ts": always, "b.ts": on("agent_settled", `(_, ctx) => ctx.ui.notify("settled")`) },
		},
	);
	stopped.session.subscribe((event) => {
		if (event.type === "tool_execution_start") stopped.session.abort();
	});
	await stopped.prompt("go");
	await stopped.until("settled");
	expect(stopped.log.getEntries().at(-1)?.type).toBe("custom_message");
	expect(stopped.played.requests).toHaveLength(1);
});

test("agent_before_settle: invalid entries are reported, and none of them is stored", async () => {
	const impossible = `{ type: "context_edit", targetId: "nowhere", replacement: null }`;
	await using fixture = await extensionFixture(
		{ steps: ["One."] },
		{
			files: {
				"a.ts": on(
					"agent_before_settle",
					`() => ({ entries: [${reminder}, ${impossible}], continue: true })`,
				),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(1);
	expect(fixture.log.getEntries().some(({ type }) => type === "custom_message")).toBe(false);
	expect(fixture.events).toContainEqual(
		expect.objectContaining({
			type: "notice",
			message: expect.stringContaining("entry nowhere not found"),
		}),
	);
});

test("agent_before_settle: a handler that always continues is limited, and none is called after an abort", async () => {
	const steps = Array.from({ length: limits.stopContinuations + 1 }, (_, at) => `Answer ${at}.`);
	const always = on("agent_before_settle", `() => ({ entries: [${reminder}], continue: true })`);
	await using fixture = await extensionFixture({ steps }, { files: { "a.ts": always } });
	await fixture.prompt("go");
	expect(fixture.played.requests).toHaveLength(limits.stopContinuations + 1);
	await using stopped = await extensionFixture(
		{ steps: [callOf("bash", { command: "sleep 60" })] },
		{ files: { "a.ts": on("agent_before_settle", `(_, ctx) => ctx.ui.notify("asked")`) } },
	);
	stopped.session.subscribe((event) => {
		if (event.type === "tool_execution_start") stopped.session.abort();
	});
	await stopped.prompt("go");
	expect(stopped.shown).toEqual([]);
});
