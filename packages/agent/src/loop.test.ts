/** A run emits a well-formed sequence of events and always ends, whatever the model, the tools and the user do. */
import { describe, expect, test } from "bun:test";

import { playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";

import { collect, textOutcome, tool, type Collected, type CollectOptions } from "./testing/collect.ts";
import {
	asks,
	call,
	closing,
	lastAnswer,
	opening,
	results,
	resultTexts,
	speaking,
	speechless,
	type CallBlock,
} from "./testing/script.ts";
import type { AgentEvent, AgentMessage, AgentTool } from "./types.ts";

type Played = Collected & { model: PlayedModel };

/** Plays the steps and returns the collected events. */
async function play(
	steps: Scenario["steps"],
	{ onEvent, ...conversation }: Partial<CollectOptions> & { onEvent?: (event: AgentEvent) => void } = {},
): Promise<Played> {
	await using model = await playModel({ steps });
	const collected = await collect({ url: model.anthropicUrl, ...conversation }, onEvent);
	return { ...collected, model };
}

/** The tool results that the model received in the n-th request. */
function sentResults({ model }: Played, request: number): unknown {
	const body = model.requests[request - 1]?.body as { messages: { content: { type: string }[] }[] };
	return body.messages.at(-1)?.content.filter((part) => part.type === "tool_result");
}

const result = ["message_start toolResult", "message_end toolResult"];

/** An answer of `count` calls with arguments. */
function calling(count: number): string[] {
	const blocks = Array.from({ length: count }, () => ["toolcall_start", "toolcall_delta", "toolcall_end"]);
	return ["message_start assistant", ...blocks.flat(), "message_end assistant"];
}

function running(name: string): string[] {
	return [`tool_execution_start ${name}`, `tool_execution_end ${name}`];
}

const echo = tool("echo", async (_id, { text }) => textOutcome(String(text)));
const alone = tool("alone", async () => textOutcome("done"), { concurrency: "exclusive" });

test("a tool is timed by the clock of its session", async () => {
	let ms = 0;
	const slow = tool("slow", async () => {
		ms += 40;
		return textOutcome("done");
	});
	const config = { clock: () => ms };
	const { events } = await play([asks(call("slow", {})), "Done."], { tools: [slow], config });
	const ended = events.find(({ type }) => type === "tool_execution_end");
	expect(ended).toMatchObject({ durationMs: 40 });
});

describe("the events of a run", () => {
	const cases: [what: string, steps: Scenario["steps"], tools: AgentTool[], story: string[]][] = [
		["a plain answer", ["Hello."], [], [...opening, ...speaking, ...closing]],
		[
			"one tool",
			[asks(call("echo", { text: "a" })), "Done."],
			[echo],
			[
				...opening,
				...calling(1),
				...running("echo"),
				...result,
				"turn_end",
				"turn_start",
				...speaking,
				...closing,
			],
		],
		[
			"text before a call",
			[asks({ text: "Look:" }, call("echo", { text: "a" })), "Done."],
			[echo],
			[
				...opening,
				...speaking.slice(0, -1),
				...calling(1).slice(1),
				...running("echo"),
				...result,
				"turn_end",
				"turn_start",
				...speaking,
				...closing,
			],
		],
		[
			"an exclusive tool between shared ones",
			[asks(call("echo", { text: "a" }), call("alone", { a: 1 }), call("echo", { text: "b" })), "Done."],
			[echo, alone],
			[
				...opening,
				...calling(3),
				...running("echo"),
				...running("alone"),
				...running("echo"),
				...result,
				...result,
				...result,
				"turn_end",
				"turn_start",
				...speaking,
				...closing,
			],
		],
		["a failure at the first turn", [{ fault: { http: 529 } }], [], [...opening, ...speechless, ...closing]],
		[
			"a failure at a later turn, in the middle of a text",
			[
				asks(call("echo", { text: "a" })),
				{
					answer: { blocks: [{ text: "Half an answer", chunks: 2 }] },
					fault: { errorEvent: { type: "overloaded_error", message: "busy" }, afterChunks: 1 },
				},
			],
			[echo],
			[
				...opening,
				...calling(1),
				...running("echo"),
				...result,
				"turn_end",
				"turn_start",
				...speaking,
				...closing,
			],
		],
	];
	test.each(cases)("%s", async (_what, steps, tools, story) => {
		expect((await play(steps, { tools })).story).toEqual(story);
	});

	test("shared calls run in parallel, and their results keep the order of the calls", async () => {
		const bothStarted = Promise.withResolvers<void>();
		const secondEnded = Promise.withResolvers<void>();
		const first = tool("first", async () => {
			await secondEnded.promise;
			return textOutcome("1");
		});
		const second = tool("second", async () => {
			bothStarted.resolve();
			return textOutcome("2");
		});
		const { story, messages } = await play(
			[asks(call("first", { a: 1 }), call("second", { a: 1 })), "Done."],
			{
				tools: [first, second],
				onEvent: (event) => {
					if (event.type === "tool_execution_end" && event.toolName === "second") secondEnded.resolve();
				},
			},
		);
		await bothStarted.promise;
		expect(story.filter((label) => label.startsWith("tool_"))).toEqual([
			"tool_execution_start first",
			"tool_execution_start second",
			"tool_execution_end second",
			"tool_execution_end first",
		]);
		expect(resultTexts(messages)).toEqual(["1", "2"]);
	});

	test("an exclusive call runs alone", async () => {
		let atWork = 0;
		const seen: string[] = [];
		const busy = (name: string, concurrency: AgentTool["concurrency"]): AgentTool =>
			tool(
				name,
				async () => {
					atWork++;
					await Bun.sleep(0);
					seen.push(`${name} ${atWork}`);
					await Bun.sleep(0);
					atWork--;
					return textOutcome(name);
				},
				{ concurrency },
			);
		await play([asks(call("s"), call("s"), call("x"), call("x"), call("s")), "Done."], {
			tools: [busy("s", "shared"), busy("x", "exclusive")],
		});
		expect(seen).toEqual(["s 2", "s 2", "x 1", "x 1", "s 1"]);
	});
});

describe("what the model receives", () => {
	test("no tools field if there are no tools", async () => {
		const { messages } = await play([asks(call("nope")), "I see."]);
		expect(resultTexts(messages)).toEqual(['There is no tool "nope". Available: none.']);
	});

	test("the results of its calls, after the whole conversation", async () => {
		const played = await play([asks(call("echo", { text: "a" }), call("echo", { text: "b" })), "Done."], {
			tools: [echo],
			history: [{ role: "user", content: "Before.", timestamp: 0 }],
		});
		const [use1, use2] = lastAnswer(played.messages.slice(0, 2)).content;
		const ids = [use1, use2].map((block) => (block?.type === "toolCall" ? block.id : ""));
		expect(played.model.requests[1]?.body).toMatchObject({
			system: [{ text: "Be brief." }],
			tools: [{ name: "echo" }],
			messages: [
				{ role: "user", content: [{ text: "Before." }, { text: "Go on." }] },
				{ role: "assistant", content: [{ type: "tool_use", input: { text: "a" } }, { type: "tool_use" }] },
				{
					role: "user",
					content: [
						{ type: "tool_result", tool_use_id: ids[0], content: [{ text: "a" }] },
						{ type: "tool_result", tool_use_id: ids[1], content: [{ text: "b" }] },
					],
				},
			],
		});
	});

	test("a fresh key with every request", async () => {
		let number = 0;
		const config = { access: async () => ({ apiKey: `key-${++number}` }) };
		const { model } = await play([asks(call("echo")), "Done."], { tools: [echo], config });
		expect(model.requests.map((request) => request.headers["x-api-key"])).toEqual(["key-1", "key-2"]);
	});

	test("the caller's messages are not modified, and the result contains the added ones", async () => {
		const history: AgentMessage[] = [{ role: "user", content: "Before.", timestamp: 0 }];
		const { messages } = await play([asks(call("echo")), "Done."], { tools: [echo], history });
		expect(history).toHaveLength(1);
		expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
	});
});

describe("a call that fails gets a result with the reason", () => {
	const picky = tool("picky", async () => textOutcome("never"), {
		validate: ({ n }) => (n === 1 ? { ok: true, value: {} } : { ok: false, reason: "n: must be 1" }),
	});
	const failing = (error: unknown): AgentTool =>
		tool("fails", async () => {
			throw error;
		});
	const broken = tool("breaks", () => {
		throw new Error("at once");
	});
	const careless = tool("careless", async () => textOutcome("never"), {
		validate: () => {
			throw new Error("no schema");
		},
	});
	const wordless = Object.assign(new TypeError("none"), { message: "" });
	const bare: unknown = Object.assign(Object.create(null), { code: 5 });
	const cases: [what: string, block: CallBlock, tools: AgentTool[], text: string][] = [
		["an unknown tool", call("nope"), [echo], 'There is no tool "nope". Available: echo, alone.'],
		["bad arguments", call("picky", { n: 2 }), [picky], "Bad arguments for picky: n: must be 1"],
		["arguments that are no JSON", call("echo", '{"text": nope'), [echo], "Invalid arguments for echo"],
		["arguments that are no object", call("echo", '["a"]'), [echo], "not a JSON object"],
		["an error", call("fails"), [failing(new Error("disk full"))], "disk full"],
		["an error without a message", call("fails"), [failing(wordless)], "TypeError"],
		["a text that was thrown", call("fails"), [failing("plain words")], "plain words"],
		["an object that was thrown", call("fails"), [failing(bare)], "code: 5"],
		["nothing that was thrown", call("fails"), [failing(undefined)], "undefined"],
		["an error before the first wait", call("breaks"), [broken], "at once"],
		["a check that fails itself", call("careless"), [careless], "no schema"],
	];
	test.each(cases)("%s", async (_what, block, tools, text) => {
		const played = await play([asks(block, call("alone")), "I see."], { tools: [...tools, alone] });
		expect(results(played.messages).map(({ isError }) => isError)).toEqual([true, false]);
		expect(resultTexts(played.messages)[0]).toContain(text);
		expect(sentResults(played, 2)).toMatchObject([{ is_error: true }, {}]);
		expect(lastAnswer(played.messages).stopReason).toBe("stop");
	});

	test("a tool may return an error result, which keeps its details", async () => {
		const refuses = tool("refuses", async () => ({
			...textOutcome("no"),
			details: { why: 1 },
			isError: true,
		}));
		const { events, messages } = await play([asks(call("refuses")), "I see."], { tools: [refuses] });
		expect(results(messages)).toMatchObject([{ isError: true, details: { why: 1 } }]);
		const ended = events.find((event) => event.type === "tool_execution_end");
		expect(ended).toMatchObject({ isError: true, result: { details: { why: 1 } } });
	});

	test("updates are emitted while a tool runs and not after its result", async () => {
		const ended = Promise.withResolvers<void>();
		const talkedOn = Promise.withResolvers<void>();
		const chatty = tool("chatty", async (_id, _params, _signal, update) => {
			update(textOutcome("half"));
			void ended.promise.then(() => {
				update(textOutcome("too late"));
				talkedOn.resolve();
			});
			return textOutcome("whole");
		});
		const waits = tool("waits", async () => {
			await talkedOn.promise;
			return textOutcome("waited");
		});
		const { events } = await play([asks(call("chatty"), call("waits")), "Done."], {
			tools: [chatty, waits],
			onEvent: (event) => {
				if (event.type === "tool_execution_end" && event.toolName === "chatty") ended.resolve();
			},
		});
		const updates = events.filter((event) => event.type === "tool_execution_update");
		expect(updates.map((event) => event.partialResult)).toEqual([textOutcome("half")]);
	});
});

describe("an answer that was truncated by its length limit", () => {
	const cut: [what: string, args: string][] = [
		["in the middle of an argument", '{"text":"half of wh'],
		["before the first argument", ""],
	];
	test.each(cut)("%s is not run, and the model may send it again", async (_what, args) => {
		let ran = 0;
		const counting = tool("echo", async () => textOutcome(`run ${++ran}`));
		const played = await play(
			[
				{ answer: { blocks: [call("echo", { text: "a" }), call("echo", args)], stopReason: "length" } },
				"Done.",
			],
			{ tools: [counting] },
		);
		expect(ran).toBe(1);
		const [whole, half] = resultTexts(played.messages);
		expect(whole).toBe("run 1");
		expect(half).toStartWith("Invalid arguments for echo: ");
		expect(sentResults(played, 2)).toHaveLength(2);
	});
});

describe("a failing model", () => {
	test("ends the run with its failure; no request follows", async () => {
		const { messages, model } = await play([{ fault: { http: 401 } }, "Never."]);
		expect(lastAnswer(messages)).toMatchObject({
			stopReason: "error",
			failure: { kind: "auth", status: 401 },
		});
		expect(model.requests).toHaveLength(1);
	});

	test("during an answer keeps the partial text and runs none of its calls", async () => {
		let ran = 0;
		const counting = tool("echo", async () => textOutcome(`run ${++ran}`));
		const { messages } = await play(
			[
				{
					answer: { blocks: [{ text: "First" }, call("echo", { text: "a" }), { text: "last", chunks: 4 }] },
					fault: { errorEvent: { type: "overloaded_error", message: "busy" }, afterChunks: 3 },
				},
			],
			{ tools: [counting] },
		);
		expect(ran).toBe(0);
		expect(lastAnswer(messages)).toMatchObject({
			stopReason: "error",
			failure: { kind: "overloaded" },
			content: [{ text: "First" }, { type: "toolCall" }, { text: "l" }],
		});
	});

	const unreachable: [what: string, config: NonNullable<CollectOptions["config"]>][] = [
		["a key that cannot be had", { access: () => Promise.reject(new Error("login expired")) }],
		[
			"a conversation that cannot be converted",
			{
				convertToLlm: () => {
					throw new Error("login expired");
				},
			},
		],
	];
	test.each(unreachable)("%s is reported as a failure of the model", async (_what, config) => {
		const { messages, story, model } = await play(["Never."], { config });
		expect(story).toEqual([...opening, ...speechless, ...closing]);
		expect(lastAnswer(messages)).toMatchObject({ stopReason: "error", errorMessage: "login expired" });
		expect(model.requests).toHaveLength(0);
	});
});
