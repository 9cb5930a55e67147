/** The demo never pretends to be a model, and always stops. */
import { expect, test } from "bun:test";

import {
	type AssistantMessage,
	type Context,
	MessageBuilder,
	type Message,
	type Model,
	stream,
} from "@tau/ai";
import { ModelRegistry } from "@tau/config/models";
import type { Env } from "@tau/utils";

import { createDemoStream, demoModel } from "./index.ts";
import { limits } from "./limits.ts";
import { loadDemo } from "./load-demo.ts";
import { plan } from "./plan.ts";
import { speak } from "./speak.ts";
import { say } from "./step.ts";
import { someFacts, talk } from "./testing/conversation.ts";
import { intro } from "./turn.ts";

test("the first answer of a conversation starts with what it is, later ones do not repeat it", async () => {
	await using tau = await talk();
	expect((await tau.ask("hi")).text.split("\n")[0]).toBe(intro);
	expect((await tau.ask("hello")).text).not.toContain(intro);
	expect(intro).toContain("not a language model");
});

test("if the first answer uses tools, it says what it is at both ends", async () => {
	await using tau = await talk({ "a.txt": "x\n" });
	const { answers, allText, text } = await tau.ask("read a.txt");
	expect(answers).toHaveLength(2);
	expect(allText.startsWith(intro)).toBe(true);
	expect(text).toContain("not a language model");
	expect((await tau.ask("read a.txt")).allText).not.toContain("not a language model");
});

test("a conversation that started with a real model gets the introduction, too", async () => {
	await using tau = await talk();
	const other: AssistantMessage = {
		...(await tau.ask("hi")).answers[0]!,
		api: "openai-completions",
		content: [{ type: "text", text: "Hello." }],
	};
	tau.messages.splice(0, tau.messages.length, { role: "user", content: "hi", timestamp: 0 }, other);
	expect((await tau.ask("hi")).text.startsWith(intro)).toBe(true);
});

test("without the tool it needs, it says which one is missing and calls nothing", async () => {
	await using tau = await talk();
	const { calls, text } = await tau.ask("run ls", { tools: () => [] });
	expect(calls).toEqual([]);
	expect(text).toContain("needs the `bash` tool");
});

test("an endless prompt is stopped at the limit, and the answer says so", async () => {
	await using tau = await talk({ "a.txt": "x\n" });
	await tau.ask("read a.txt");
	const [prompt, answer, result] = tau.messages as Message[];
	const tools = [{ name: "bash", description: "", parameters: {} }];
	const rounds = (count: number): Context => ({
		messages: [
			{ ...prompt, content: "tour" } as Message,
			...Array.from({ length: count }, () => [answer!, result!]).flat(),
		],
		tools,
	});
	expect(plan(rounds(limits.turns - 2)).some((piece) => piece.kind === "call")).toBe(true);
	const last = plan(rounds(limits.turns - 1));
	expect(last.some((piece) => piece.kind === "call")).toBe(false);
	expect(JSON.stringify(last)).toContain("at most 12 answers");
});

test("usage is a quarter of the characters, and costs nothing", async () => {
	const context: Context = {
		systemPrompt: "s".repeat(400),
		messages: [{ role: "user", content: "hi", timestamp: 0 }],
	};
	const answer = await createDemoStream(async () => someFacts)(demoModel, context).result();
	const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
	expect(answer.usage).toMatchObject({ input: 101, output: Math.ceil(text.length / 4), cost: { total: 0 } });
	expect(answer.usage.totalTokens).toBe(answer.usage.input + answer.usage.output);
});

test("an abort during a long answer ends it there, and keeps the partial text", async () => {
	await using tau = await talk();
	const stop = new AbortController();
	let received = 0;
	const { answers, text } = await tau.ask("stream 100000 lines", {
		signal: stop.signal,
		onEvent: (event) => {
			if (event.type === "message_update" && ++received === 20) stop.abort();
		},
	});
	expect(answers[0]?.stopReason).toBe("aborted");
	expect(text.startsWith(intro)).toBe(true);
	expect(text.split("\n").length).toBeLessThan(1_000);
});

test("an abort does not wait for a hanging probe of the machine", async () => {
	await using tau = await talk();
	const stop = new AbortController();
	const hang = Promise.withResolvers<never>();
	const { answers } = await tau.ask("sing", {
		signal: stop.signal,
		facts: () => {
			stop.abort();
			return hang.promise;
		},
	});
	expect(answers[0]?.stopReason).toBe("aborted");
});

test("a consumer that stops reading stops the answer", async () => {
	const context: Context = { messages: [{ role: "user", content: "stream 100000 lines", timestamp: 0 }] };
	const answer = createDemoStream(async () => someFacts)(demoModel, context);
	for await (const event of answer) if (event.type === "text_delta") break;
	expect((await answer.result()).stopReason).toBe("aborted");
});

test("a call that was aborted does not count as one that ran", async () => {
	await using tau = await talk({ "a.txt": "x\n" });
	const stop = new AbortController();
	await tau.ask("read a.txt", {
		signal: stop.signal,
		onEvent: (event) => {
			if (event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_start")
				stop.abort();
		},
	});
	expect((await tau.ask("read a.txt")).text).toContain("```txt\nx\n```");
});

test("an abort does not wait for the pause between two chunks", async () => {
	const stop = new AbortController();
	const builder = new MessageBuilder(demoModel);
	const manner = { signal: stop.signal, pace: 3_600_000, thinking: true, connection: async () => "" };
	const spoken = speak(builder, [say("one two three four five six seven")], manner);
	for await (const event of builder.stream) if (event.type === "text_delta") break;
	stop.abort();
	await expect(spoken).rejects.toThrow();
	expect(builder.message.content).toEqual([{ type: "text", text: "one two three four " }]);
});

test("two sessions in one process: the demo of each knows the keys of its own", async () => {
	const demoWith = (env: Env): Promise<Model> =>
		loadDemo(new ModelRegistry({ path: "", providers: new Map(), problems: [] }, env), env);
	const first = await demoWith({ GROQ_API_KEY: "gsk-1" });
	const second = await demoWith({});
	const ask = async (model: Model): Promise<string> => {
		const messages: Message[] = [{ role: "user", content: "sing", timestamp: 0 }];
		return JSON.stringify((await stream(model, { messages }).result()).content);
	};
	expect(await ask(first)).toContain("a key in `GROQ_API_KEY`");
	expect(await ask(second)).not.toContain("a key in `GROQ_API_KEY`");
});
