/** What extensions see and change of a request: its whole context, what the server sends, and the tier that is asked for. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { stageWith } from "../../../../test/support/extensions.ts";

const extensionStage = stageWith(playModel);

const on = (event: string, body: string): string => `export default (pi) => pi.on("${event}", ${body});`;

test("context_with_system: the system prompt and the tools come first, and what is returned is sent", async () => {
	await using stage = await extensionStage(
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
	await stage.prompt("go");
	expect(stage.shown).toEqual(["notify: system read,write,bash"]);
	const body = stage.played.requests[0]?.body as { system: unknown; tools?: unknown[] };
	expect(JSON.stringify(body.system)).toContain("Be short. Very.");
	expect(body.tools ?? []).toEqual([]);
	expect(stage.session.state.systemPrompt).not.toContain("Be short.");
});

test("context_with_system: whoever drops the system message is told so, and the request is as it was", async () => {
	await using stage = await extensionStage(
		{ steps: ["One."] },
		{ files: { "a.ts": on("context_with_system", `({ messages }) => ({ messages: messages.slice(1) })`) } },
	);
	await stage.prompt("go");
	expect(stage.request(0)).toContain('"tools"');
	expect(stage.heard).toContainEqual(
		expect.objectContaining({
			type: "notice",
			message: expect.stringContaining("dropped the system message"),
		}),
	);
});

test("context_with_system: Escape stops a handler that waits, and the answer with it", async () => {
	await using stage = await extensionStage(
		{ steps: ["One."] },
		{
			files: {
				"a.ts": on(
					"context_with_system",
					`(_, ctx) => { ctx.ui.notify("waits"); return new Promise(() => {}); }`,
				),
			},
			patience: { slowMs: 60_000, limitMs: 60_000 },
		},
	);
	const answered = stage.prompt("go");
	await stage.until("waits");
	stage.session.abort();
	await answered;
	expect(stage.session.isAnswering).toBe(false);
	expect(stage.session.state.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "aborted" });
});

test("provider_stream_event: every event of the server in its order, as the server wrote it", async () => {
	await using stage = await extensionStage(
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
	await stage.prompt("go");
	await stage.until("settled");
	const entry = stage.log.getEntries().find(({ type }) => type === "custom");
	const data = (entry as { data?: string[] } | undefined)?.data ?? [];
	expect(data.slice(0, 4)).toEqual(["played", "anthropic-messages", "played-1", "message_start"]);
	expect(data).toContain("content_block_delta");
	expect(data.at(-1)).toBe("message_stop");
});

test("setServiceTier: asked for from the next request on, and only of the family that was named", async () => {
	await using stage = await extensionStage(
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
		(stage.played.requests[at]?.body as { service_tier?: unknown } | undefined)?.service_tier;
	await stage.prompt("/tier openai flex");
	await stage.prompt("one");
	await stage.prompt("/tier anthropic priority");
	await stage.prompt("two");
	await stage.prompt("/tier anthropic");
	await stage.prompt("three");
	await stage.prompt("/tier nobody flex");
	expect([tier(0), tier(1), tier(2)]).toEqual([undefined, "auto", undefined]);
	expect(stage.shown).toEqual([
		'notify: {"openai":"flex"}',
		'notify: {"openai":"flex","anthropic":"priority"}',
		'notify: {"openai":"flex"}',
	]);
	expect(stage.heard).toContainEqual(expect.objectContaining({ type: "extension_error", event: "/tier" }));
});
