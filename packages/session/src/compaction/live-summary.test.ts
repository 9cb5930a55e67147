/** A summary is requested with the conversation's own request and one instruction, so that the cache answers it. */
import { describe, expect, test } from "bun:test";

import type { Scenario, Step } from "@tau/ai/testing";
import { ToolRegistry } from "@tau/tools/registry";

import {
	answer,
	converse,
	filler,
	look,
	playedCompaction,
	summing,
	words,
	type CompactionFixtureOptions,
} from "../../../../test/support/compaction.ts";
import { cachedText, commonPrefix } from "../../../../test/support/prefix.ts";
import { testModel } from "../../../../test/support/session.ts";
import type { Behavior } from "../run/behavior.ts";
import { SessionManager } from "@tau/log";

const summary: Step = { when: summing, answer: "Greek." };
const window = { contextWindow: 200_000 };

/** A conversation of about 60,000 tokens whose last answer has just been given. */
async function openFixture(steps: Scenario["steps"], options: CompactionFixtureOptions = {}) {
	const log = SessionManager.inMemory("/work");
	converse(log, words, 10_000);
	const fixture = await playedCompaction(
		{ steps },
		{
			log,
			model: window,
			...options,
			session: {
				systemPrompt: `Be careful. ${filler(500)}`,
				tools: [look],
				thinking: "high",
				...options.session,
			},
		},
	);
	return fixture;
}

describe("a conversation that is in the provider's cache", () => {
	test("is summarized with at least 95 % of the request from the cache, and no second request", async () => {
		await using on = await openFixture([summary, "Eta!", "Theta!"]);
		await on.session.prompt({ text: "eta?" });
		expect((await on.session.compact("Mind the letters.")).summary).toBe("Greek.");
		const [last = "", asked = ""] = on.played.requests.map(cachedText);
		expect(on.played.requests).toHaveLength(2);
		expect(commonPrefix(last, asked)).toBe(last.length);
		expect(commonPrefix(last, asked) / asked.length).toBeGreaterThan(0.95);
		expect(asked.slice(last.length)).toContain("Mind the letters.");
		const [first, second] = on.played.requests.map(({ body }) => body as Record<string, unknown>);
		for (const field of ["thinking", "tool_choice", "tools", "system", "output_config"])
			expect(second?.[field]).toEqual(first?.[field]);
		// The instruction is not part of the conversation.
		await on.session.prompt({ text: "theta?" });
		const next = on.played.requests[2]?.rawBody ?? "";
		expect(next).not.toContain(summing.bodyContains);
		expect(next).toContain("Greek.");
	});

	test("is read from the cache also if the run had a system prompt of its own, or the tools have changed since", async () => {
		const own: Behavior = {
			name: "own prompt",
			attach: (session) => session.hooks.preparers.add(async () => ({ systemPrompt: `Own. ${filler(300)}` })),
		};
		const tools = new ToolRegistry();
		tools.register("custom", [look]);
		await using on = await openFixture([summary, "Eta!"], { session: { behaviors: [own], tools } });
		await on.session.prompt({ text: "eta?" });
		tools.register("custom", [{ ...look, name: "late" }]);
		await on.session.compact();
		const [last = "", asked = ""] = on.played.requests.map(cachedText);
		expect(commonPrefix(last, asked)).toBe(last.length);
	});

	test("is also read from the cache between two turns of a run", async () => {
		const usage = { input: 180_000, output: 100 };
		await using on = await openFixture([
			summary,
			{ answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }], usage } },
			"Done.",
		]);
		await on.session.prompt({ text: "eta?" });
		const [last = "", asked = ""] = on.played.requests.map(cachedText);
		expect(commonPrefix(last, asked)).toBe(last.length);
		expect(asked).toContain("seen it");
		expect(on.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Done." }] });
	});

	test("is summarized from its text if the model calls a tool or the request is refused", async () => {
		const calling: Step = {
			when: summing,
			answer: { blocks: [{ text: "Let me see." }, { toolCall: { name: "look", arguments: {} } }] },
		};
		const refused: Step = { when: summing, fault: { overflow: true } };
		for (const useless of [calling, refused]) {
			await using on = await openFixture(["Eta!", useless, { ...summary, times: "always" }]);
			await on.session.prompt({ text: "eta?" });
			expect((await on.session.compact()).summary).toContain("Greek.");
			expect(on.played.requests.at(-1)?.rawBody).toContain("<conversation>");
		}
	});
});

describe("the text is sent instead", () => {
	const textual = async (
		steps: Scenario["steps"],
		options: CompactionFixtureOptions = {},
	): Promise<boolean> => {
		await using on = await openFixture([...steps, { ...summary, times: "always" }], options);
		if (steps.length > 0) await on.session.prompt({ text: "eta?" });
		await on.session.compact();
		return on.played.requests.at(-1)?.rawBody.includes("<conversation>") ?? false;
	};

	test("if the last answer is old", async () => {
		expect(await textual([])).toBe(true);
		expect(await textual(["Eta!"])).toBe(false);
	});

	test("if it is by another model", async () => {
		const log = SessionManager.inMemory("/work");
		converse(log, words, 10_000);
		log.appendMessage({ ...answer([{ type: "text", text: "x" }], 0), model: "other" });
		expect(await textual([], { log })).toBe(true);
	});

	test("if there is no room for the summary", async () => {
		expect(
			await textual([{ answer: { blocks: [{ text: "Eta!" }], usage: { input: 199_500, output: 1 } } }], {
				settings: { afterAnswer: false, enabled: false },
			}),
		).toBe(true);
	});
});

describe("a model that cannot write the summary", () => {
	test("is replaced by the next candidate, which gets the text", async () => {
		const other = testModel({ id: "other", contextWindow: 50_000 });
		await using on = await openFixture(
			["Eta!", { when: summing, fault: { http: 401 } }, { ...summary, times: "always" }],
			{ settings: { models: (current) => [current, { ...other, baseUrl: current.baseUrl }] } },
		);
		await on.session.prompt({ text: "eta?" });
		expect((await on.session.compact()).summary).toContain("Greek.");
		expect(on.played.requests.at(-1)?.body).toMatchObject({ model: "other" });
		expect(on.session.model.id).not.toBe("other");
	});

	test("leaves everything as it was if there is no other", async () => {
		await using on = await openFixture(["Eta!", { when: summing, fault: { http: 401 } }]);
		await on.session.prompt({ text: "eta?" });
		const before = on.log.getEntries();
		const messages = [...on.session.state.messages];
		await expect(on.session.compact()).rejects.toThrow();
		expect(on.log.getEntries()).toEqual(before);
		expect(on.session.state.messages).toEqual(messages);
	});
});

describe("a server that writes summaries", () => {
	function serve(respond: () => Response) {
		const bodies: unknown[] = [];
		const server = Bun.serve({
			port: 0,
			fetch: async (request) => {
				bodies.push(await request.json());
				return respond();
			},
		});
		return {
			bodies,
			url: `http://127.0.0.1:${server.port}/`,
			[Symbol.asyncDispose]: () => server.stop(true),
		};
	}

	test("gets the conversation as text, and no model is asked", async () => {
		await using remote = serve(() => Response.json({ summary: "From afar." }));
		await using on = await openFixture(["Eta!"], { settings: { remoteEndpoint: remote.url } });
		await on.session.prompt({ text: "eta?" });
		expect((await on.session.compact()).summary).toStartWith("From afar.");
		expect(on.played.requests).toHaveLength(1);
		expect(remote.bodies[0]).toMatchObject({
			systemPrompt: expect.stringContaining("summaries"),
			prompt: expect.stringContaining("<conversation>"),
		});
	});

	test.each([
		["fails", () => new Response("no", { status: 500 })],
		["answers with something else", () => Response.json({ text: "x" })],
		["answers with a page", () => new Response("<html>")],
	])("that %s is replaced by the model", async (_, respond) => {
		await using remote = serve(respond);
		await using on = await openFixture([summary, "Eta!"], { settings: { remoteEndpoint: remote.url } });
		await on.session.prompt({ text: "eta?" });
		expect((await on.session.compact()).summary).toBe("Greek.");
		expect(on.events.find(({ type }) => type === "notice")).toMatchObject({ level: "warning" });
	});
});
