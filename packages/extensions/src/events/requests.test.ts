/** What extensions see and change of a request: its whole context, the server's events, and the service tier. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("context_with_system: the system prompt and the tools come first, and the returned context is sent", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two."] },
		{
			files: {
				"a.ts": on(
					"context_with_system",
					`({ messages: [head, ...rest] }, ctx) => {
						ctx.ui.notify(head.role + " " + head.toolsAdded.map(({ name }) => name));
						return { messages: [{ ...head, content: "Be short.", toolsAdded: [] }, ...rest] };
					}`,
				),
				"b.ts": on(
					"context_with_system",
					`({ messages }) => ({ messages: [{ ...messages[0], content: messages[0].content + " Very." }, ...messages.slice(1)] })`,
				),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual(["notify: system read,write,bash"]);
	const body = fixture.played.requests[0]?.body as { system: unknown; tools?: unknown[] };
	expect(JSON.stringify(body.system)).toContain("Be short. Very.");
	expect(body.tools ?? []).toEqual([]);
	expect(fixture.session.state.systemPrompt).not.toContain("Be short.");
});

test("context_with_system: dropping the system message is reported, and the request is unchanged", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One."] },
		{ files: { "a.ts": on("context_with_system", `({ messages }) => ({ messages: messages.slice(1) })`) } },
	);
	await fixture.prompt("go");
	expect(fixture.request(0)).toContain('"tools"');
	expect(fixture.events).toContainEqual(
		expect.objectContaining({
			type: "notice",
			message: expect.stringContaining("dropped the system message"),
		}),
	);
});

test("context_with_system: Escape stops a handler that waits, and the answer with it", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One."] },
		{
			files: {
				"a.ts": on(
					"context_with_system",
					`(_, ctx) => { ctx.ui.notify("waits"); return new Promise(() => {}); }`,
				),
			},
			deadline: { slowMs: 60_000, limitMs: 60_000 },
		},
	);
	const answered = fixture.prompt("go");
	await fixture.until("waits");
	fixture.session.abort();
	await answered;
	expect(fixture.session.isAnswering).toBe(false);
	expect(fixture.session.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
});

test("provider_stream_event: every event of the server in order, unchanged", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["Hello."] },
		{
			files: {
				"a.ts": `export default (pi) => {
					const seen = [];
					pi.on("provider_stream_event", async ({ provider, api, model, data }) => {
						await Promise.resolve();
						seen.push(data.type);
						if (data.type === "message_stop") pi.appendEntry("seen", [provider, api, model, ...new Set(seen)]);
					});
					pi.on("agent_settled", (_, ctx) => ctx.ui.notify("settled"));
				};`,
			},
		},
	);
	await fixture.prompt("go");
	await fixture.until("settled");
	const entry = fixture.log.getEntries().find(({ type }) => type === "custom");
	const data = (entry as { data?: string[] } | undefined)?.data ?? [];
	expect(data.slice(0, 4)).toEqual(["played", "anthropic-messages", "played-1", "message_start"]);
	expect(data).toContain("content_block_delta");
	expect(data.at(-1)).toBe("message_stop");
});

test("setServiceTier: applies from the next request on, to the named family only", async () => {
	await using fixture = await extensionFixture(
		{ steps: ["One.", "Two.", "Three."] },
		{
			files: {
				"a.ts": `export default (pi) => pi.registerCommand("tier", {
					handler: (args, ctx) => {
						const [family, tier] = args.split(" ");
						pi.setServiceTier(family, tier || undefined);
						ctx.ui.notify(JSON.stringify(pi.getServiceTiers()));
					},
				});`,
			},
		},
	);
	const tier = (at: number): unknown =>
		(fixture.played.requests[at]?.body as { service_tier?: unknown } | undefined)?.service_tier;
	await fixture.prompt("/tier openai flex");
	await fixture.prompt("one");
	await fixture.prompt("/tier anthropic priority");
	await fixture.prompt("two");
	await fixture.prompt("/tier anthropic");
	await fixture.prompt("three");
	await fixture.prompt("/tier nobody flex");
	expect([tier(0), tier(1), tier(2)]).toEqual([undefined, "auto", undefined]);
	expect(fixture.shown).toEqual([
		'notify: {"openai":"flex"}',
		'notify: {"openai":"flex","anthropic":"priority"}',
		'notify: {"openai":"flex"}',
	]);
	expect(fixture.events).toContainEqual(expect.objectContaining({ type: "extension_error", event: "/tier" }));
});
