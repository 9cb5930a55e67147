/** Any conversation is made acceptable for the next model. */
import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { modelAt } from "../testing/asking.ts";
import type { AssistantContent, Message, StopReason } from "../types.ts";
import { conversationFor } from "./conversation.ts";
import { answer, audio, call, image, result, text, thinking, user } from "./testing/messages.ts";
import { foreignThinking, notes } from "./notes/index.ts";

const model = modelAt("", "any");
const blind = modelAt("", "any", { input: ["text"] });
const foreign = { provider: "other", model: "other-1" };
const elsewhere = [foreign, { provider: "other" }, { model: "other-1" }];

function shapeOf(messages: readonly Message[]): unknown[] {
	return messages.map((message) => {
		if (message.role === "toolResult") return { result: message.toolCallId, isError: message.isError };
		if (message.role === "user") return { user: message.content };
		return { answer: message.content };
	});
}

test("a complete conversation is unchanged", () => {
	const messages = [
		user("look"),
		answer(thinking("hm", "s"), text("I look."), call("1", "read", { path: "a" }), call("2", "ls")),
		result("1", text("a"), image),
		result("2", text("b")),
		answer(text("Done.")),
		user(text("thanks"), image),
	];
	const expected = messages.with(2, { ...result("1", text("a"), image), toolName: "read" });
	expect(conversationFor(model, messages)).toEqual(
		expected.with(3, { ...result("2", text("b")), toolName: "ls" }),
	);
});

describe("calls and results", () => {
	test("an interrupted call gets a result that says so", () => {
		const out = conversationFor(model, [
			user("go"),
			answer(call("1", "bash"), call("2")),
			result("2", text("ok")),
		]);
		expect(out.slice(2)).toEqual([
			{ ...result("1", text(notes.neverRan)), toolName: "bash", isError: true },
			result("2", text("ok")),
		]);
	});

	test("a user message between a call and its result follows the result", () => {
		const out = conversationFor(model, [
			answer(call("1")),
			user("wait"),
			result("1", text("late")),
			answer(text("x")),
		]);
		expect(shapeOf(out)).toEqual([
			{ answer: [call("1")] },
			{ result: "1", isError: false },
			{ user: "wait" },
			{ answer: [text("x")] },
		]);
	});

	test("a result without its call is left out", () => {
		expect(conversationFor(model, [result("9", text("x")), user("hi"), result("8", text("y"))])).toEqual([
			user("hi"),
		]);
	});

	test("a second result of the same call is left out", () => {
		const out = conversationFor(model, [answer(call("1")), result("1", text("a")), result("1", text("b"))]);
		expect(out).toEqual([answer(call("1")), result("1", text("a"))]);
	});

	test("repeated ids are made unique, each with its own result", () => {
		const out = conversationFor(model, [
			answer(call("call_0", "a"), call("call_0", "b")),
			result("call_0", text("first")),
			result("call_0", text("second")),
			answer(call("call_0", "c")),
			result("call_0", text("third")),
		]);
		const results = out.flatMap((message) =>
			message.role === "toolResult" ? [[message.toolCallId, message.toolName, message.content]] : [],
		);
		expect(results).toEqual([
			["call_0", "a", [text("first")]],
			["call_0_1", "b", [text("second")]],
			["call_0_2", "c", [text("third")]],
		]);
	});

	test("a call does not get the result of a later call with the same id", () => {
		const out = conversationFor(model, [
			answer(call("0")),
			answer(call("0")),
			result("0", text("of the second")),
		]);
		const results = out.filter((message) => message.role === "toolResult");
		expect(results.map(({ content }) => content)).toEqual([[text(notes.neverRan)], [text("of the second")]]);
	});

	test("ids of another model are rewritten so that every provider accepts them, its own stay", () => {
		const id = "functions.bash:0";
		const long = "call_123456789012345678901234567890|fc_987654321098765432109876543210";
		const messages = [answer(call(id), call(long)), result(id), result(long)];
		const own = conversationFor(model, messages);
		expect(shapeOf(own).slice(1)).toEqual([
			{ result: id, isError: false },
			{ result: long, isError: false },
		]);
		const moved = conversationFor({ ...model, id: "played-2" }, messages);
		expect(shapeOf(moved).slice(1)).toEqual([
			{ result: "functions_bash_0", isError: false },
			{ result: "call_123456789012345678901234567", isError: false },
		]);
	});

	test("a model's own ids are rewritten if its protocol does not accept them", () => {
		const messages = [answer(call("a|b"), call("toolu_1")), result("a|b"), result("toolu_1")];
		expect(shapeOf(conversationFor(model, messages, /^[\w-]+$/)).slice(1)).toEqual([
			{ result: "a_b", isError: false },
			{ result: "toolu_1", isError: false },
		]);
	});

	test.each([
		["functions.bash", "functions_bash"],
		["", "unknown"],
		["read file\n", "read_file_"],
		["x".repeat(99), "x".repeat(64)],
	])("a name that a model invented does not break later requests: %j", (name, expected) => {
		const [message, ran] = conversationFor(model, [answer(call("1", name)), result("1")]);
		expect(message).toMatchObject({ content: [{ name: expected }] });
		expect(ran).toMatchObject({ toolName: expected });
	});
});

test.each([undefined, "reasoning_content", "reasoning"])(
	"another model's plain thinking is passed on as text (signature %p)",
	(signature) => {
		const thought = thinking("I think $& and {{thoughts}}.\n", signature);
		const [out] = conversationFor(model, [{ ...answer(thought, text("yes")), ...foreign }]);
		expect(out?.content).toEqual([text(foreignThinking("I think $& and {{thoughts}}.")), text("yes")]);
		expect(foreignThinking("I think.")).toMatch(/^\(.+\)\nI think\.\n\(.+\)$/);
		expect(conversationFor(model, [answer(thought)])[0]?.content).toEqual([thought]);
	},
);

describe("left out are", () => {
	test.each<[StopReason]>([["error"], ["aborted"]])(
		"calls and thinking of an answer that ended with %s",
		(stopReason) => {
			const failed = { ...answer(thinking("hm", "s"), text("I was about to"), call("1")), stopReason };
			const out = conversationFor(model, [user("go"), failed, result("1", text("never")), user("again")]);
			expect(shapeOf(out)).toEqual([{ user: "go" }, { answer: [text("I was about to")] }, { user: "again" }]);
		},
	);

	test("an answer that failed before any content", () => {
		const failed = { ...answer(thinking("hm"), text(" \n")), stopReason: "error" as const };
		expect(conversationFor(model, [user("a"), failed, user("b")])).toEqual([user("a"), user("b")]);
	});

	test("signed and hidden thinking of another model, or of the same model elsewhere", () => {
		const hidden = { ...thinking("", "opaque"), redacted: true };
		const content = [
			thinking("hm", "s"),
			hidden,
			{ ...thinking("secret"), redacted: true },
			thinking(" "),
			text("yes"),
		];
		for (const change of elsewhere) {
			const [out] = conversationFor(model, [{ ...answer(...content), ...change }]);
			expect(out?.content).toEqual([text("yes")]);
		}
		expect(conversationFor(model, [answer(...content)])[0]?.content).toEqual(content);
	});

	test("signatures of another model, on any block", () => {
		const content = [
			{ ...text("yes"), textSignature: "msg_1" },
			{ ...call("1", "ls"), thoughtSignature: "opaque" },
		];
		for (const change of elsewhere) {
			const [out] = conversationFor(model, [{ ...answer(...content), ...change }, result("1")]);
			expect(out?.content).toStrictEqual([text("yes"), call("1", "ls")]);
		}
		expect(conversationFor(model, [answer(...content), result("1")])[0]?.content).toEqual(content);
	});

	test("images for a model without vision, replaced by a note", () => {
		const messages = [user(text("see"), image), answer(call("1")), result("1", image)];
		const out = conversationFor(blind, messages);
		expect(out[0]?.content).toEqual([text("see"), text(notes.imageLeftOut)]);
		expect(out[2]?.content).toEqual([text(notes.imageLeftOut)]);
		expect(conversationFor(model, messages)[0]?.content).toEqual([text("see"), image]);
	});

	test("audio for a model that takes none, or in a protocol that has no form for it", () => {
		const messages = [user(text("listen"), audio, image)];
		const hearing = { ...model, input: ["text" as const, "image" as const, "audio" as const] };
		const contentFor = (api: string) => conversationFor({ ...hearing, api }, messages)[0]?.content;
		const without = [text("listen"), text(notes.audioLeftOut), image];
		expect(contentFor("google-generative-ai")).toEqual([text("listen"), audio, image]);
		expect(contentFor("openai-completions")).toEqual([text("listen"), audio, image]);
		expect(contentFor("anthropic-messages")).toEqual(without);
		expect(contentFor("openai-responses")).toEqual(without);
		expect(conversationFor({ ...model, api: "google-generative-ai" }, messages)[0]?.content).toEqual(without);
	});

	test("empty blocks and messages", () => {
		const messages = [
			user(""),
			user(" \n\t"),
			user(text(""), text("a"), text(" ")),
			user(text("")),
			answer(text(""), text("b"), text("\n")),
			answer(),
			answer(call("1")),
			result("1", text(""), text("c")),
		];
		expect(conversationFor(model, messages)).toEqual([
			user(text("a")),
			answer(text("b")),
			answer(call("1")),
			result("1", text("c")),
		]);
	});
});

const id = fc.constantFrom("1", "2", "call_0", "call_0_1", "a:b|c", "");
const said = fc.constantFrom("", " ", "words").map(text);
const parts = fc.array(fc.oneof(said, fc.constant(image)), { maxLength: 3 });
const blocks: fc.Arbitrary<AssistantContent[]> = fc.array(
	fc.oneof(
		said,
		fc.constantFrom(thinking("hm", "s"), thinking("hm"), thinking(""), {
			...thinking("", "s"),
			redacted: true,
		}),
		fc.tuple(id, fc.constantFrom("read", "", "a.b")).map(([callId, name]) => call(callId, name)),
	),
	{ maxLength: 4 },
);
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
	fc.constantFrom(user("hi"), user("")),
	parts.map((content) => user(...content)),
	fc.tuple(id, parts).map(([callId, content]) => result(callId, ...content)),
	fc
		.tuple(
			blocks,
			fc.constantFrom({}, foreign),
			fc.constantFrom<StopReason>("stop", "toolUse", "length", "error", "aborted"),
		)
		.map(([content, from, stopReason]) => ({ ...answer(...content), ...from, stopReason })),
);

test("any list of messages becomes one in which every call has one result directly after it", () => {
	fc.assert(
		fc.property(
			fc.array(anyMessage, { maxLength: 12 }),
			fc.constantFrom(model, blind),
			(messages, target) => {
				const before = structuredClone(messages);
				const out = conversationFor(target, messages);
				const seen = new Set<string>();
				const open: string[] = [];
				for (const message of out) {
					expect(message.content.length).toBeGreaterThanOrEqual(message.role === "toolResult" ? 0 : 1);
					if (message.role === "toolResult") {
						expect(message.toolCallId).toBe(open.shift() ?? "no call waits for a result");
						continue;
					}
					expect(open).toEqual([]);
					if (message.role === "user") continue;
					for (const block of message.content) {
						if (block.type !== "toolCall") continue;
						expect(seen.has(block.id)).toBe(false);
						expect(block.id).not.toBe("");
						seen.add(block.id);
						open.push(block.id);
					}
				}
				expect(open).toEqual([]);
				expect(messages).toEqual(before);
				expect(conversationFor(target, out)).toEqual(out);
			},
		),
		{ numRuns: samples(2000) },
	);
});
