/** Whatever protocol a client speaks, the provider is asked for what the client asked for, in the provider's words. */
import { servedProtocols, type ServedRequest } from "@tau/ai/serving";
import type { Block } from "@tau/ai/testing";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { dialects, type Dialect, type Media, type Question } from "./dialects/index.ts";
import { protocols, serveGateway, type Protocol, type ServedGateway } from "./gateway.ts";

const image: Media = { mimeType: "image/png", data: "iVBORw0KGgo=" };
const document: Media = { mimeType: "application/pdf", data: "JVBERi0xLjQ=" };
const linkedImage: Media = { mimeType: "image/png", data: "", url: "https://pictures.example/a.png" };
const linkedDocument: Media = { mimeType: "application/pdf", data: "", url: "https://papers.example/a.pdf" };
const tool = {
	name: "read",
	description: "Reads a file",
	parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const schema = {
	type: "object",
	properties: { n: { type: "number" } },
	required: ["n"],
	additionalProperties: false,
};
const hi = { user: "hi" };

interface Case {
	question: Question;
	/** What the provider must be asked for. */
	expects(request: ServedRequest): void;
	/** Protocols of clients or of providers that have no word for it. */
	unknownTo?: readonly Protocol[];
}

function textsIn({ context }: ServedRequest): string {
	return JSON.stringify(context.messages);
}

const cases: Readonly<Record<string, Case>> = {
	"the words of the user": {
		question: { turns: [{ user: "Grüße 🌍" }] },
		expects: (request) => expect(textsIn(request)).toContain("Grüße 🌍"),
	},
	"the system prompt": {
		question: { system: "Be brief.", turns: [hi] },
		expects: ({ context }) => expect(context.systemPrompt).toBe("Be brief."),
	},
	"a limit of tokens": {
		question: { turns: [hi], maxTokens: 777 },
		expects: ({ options }) => expect(options.maxTokens).toBe(777),
	},
	"a temperature": {
		question: { turns: [hi], temperature: 0.25 },
		expects: ({ options }) => expect(options.temperature).toBe(0.25),
		// Its models that reason refuse one.
		unknownTo: ["responses"],
	},
	top_p: {
		question: { turns: [hi], topP: 0.5 },
		expects: ({ extras }) => expect(extras.topP).toBe(0.5),
	},
	"stop words": {
		question: { turns: [hi], stop: ["END", "###"] },
		expects: ({ extras }) => expect(extras.stop).toEqual(["END", "###"]),
		unknownTo: ["responses"],
	},
	tools: {
		question: { turns: [hi], tools: [tool] },
		expects: ({ context }) => {
			expect(context.tools).toHaveLength(1);
			expect(context.tools?.[0]).toMatchObject({ name: "read", description: "Reads a file" });
			expect(context.tools?.[0]?.parameters).toMatchObject({
				properties: { path: { type: "string" } },
				required: ["path"],
			});
		},
	},
	"a tool that must be used": {
		question: { turns: [hi], tools: [tool], choice: "required" },
		expects: ({ options }) => expect(options.toolChoice).toBe("required"),
	},
	"a certain tool": {
		question: { turns: [hi], tools: [tool], choice: { name: "read" } },
		expects: ({ options }) => expect(options.toolChoice).toEqual({ name: "read" }),
	},
	"no tool": {
		question: { turns: [hi], tools: [tool], choice: "none" },
		expects: ({ options }) => expect(options.toolChoice).toBe("none"),
	},
	"one call at a time": {
		question: { turns: [hi], tools: [tool], parallel: false },
		expects: ({ extras }) => expect(extras.parallelTools).toBe(false),
		unknownTo: ["google"],
	},
	"JSON of a schema": {
		question: { turns: [hi], schema },
		expects: ({ extras }) => expect(extras.format).toMatchObject({ schema }),
	},
	"an image": {
		question: { turns: [{ user: "see", media: [image] }] },
		expects: (request) =>
			expect(request.context.messages[0]?.content).toContainEqual({
				type: "image",
				...image,
				...detailOf(request),
			}),
	},
	"a document": {
		question: { turns: [{ user: "see", media: [document] }] },
		expects: ({ context }) =>
			expect(context.messages[0]?.content).toContainEqual({ type: "image", ...document }),
	},
	"an image by its address": {
		question: { turns: [{ user: "see", media: [linkedImage] }] },
		expects: (request) =>
			expect(request.context.messages[0]?.content).toContainEqual({
				type: "image",
				...linkedImage,
				...detailOf(request),
			}),
	},
	"a document by its address": {
		question: { turns: [{ user: "see", media: [linkedDocument] }] },
		expects: ({ context }) =>
			expect(context.messages[0]?.content).toContainEqual({ type: "image", ...linkedDocument }),
		unknownTo: ["completions"],
	},
	"little thinking": {
		question: { turns: [hi], level: "low", maxTokens: 32_000 },
		expects: ({ options }) => expect(options.reasoning).toBe("low"),
	},
	"much thinking": {
		question: { turns: [hi], level: "high", maxTokens: 32_000 },
		expects: ({ options }) => expect(options.reasoning).toBe("high"),
	},
	"marks for the cache": {
		question: { system: "Long.", turns: [hi], cached: true },
		expects: (request) => {
			if (request.options.cacheRetention) expect(request.options.cacheRetention).toBe("short");
		},
	},
};

/** Only one protocol has a word for the resolution of an image. */
function detailOf({ context }: ServedRequest): { detail?: string } {
	return JSON.stringify(context.messages).includes('"detail"') ? { detail: "auto" } : {};
}

let served: ServedGateway;
beforeAll(async () => {
	served = await serveGateway({ steps: [], fallback: "ok" });
});
afterAll(() => served[Symbol.asyncDispose]());

/** The last request of the provider, read by its own protocol. */
function asked(protocol: Protocol): ServedRequest {
	const { body } = served.played.requests.at(-1) ?? {};
	return servedProtocols[protocol].request({ model: "x", ...(body as object) });
}

async function ask(
	dialect: Dialect,
	protocol: Protocol,
	question: Question,
	blocks: Block[] = [{ text: "ok" }],
) {
	served.played.setScenario({
		steps: [],
		fallback: { answer: { blocks } },
		reasoningField: "reasoning_content",
	});
	return await dialect.ask(served.url, `played-${protocol}`, question, true);
}

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
	"a client of %s",
	(_name, dialect) => {
		describe.each(protocols.map((each) => [each]))("asks a model of %s", (protocol: Protocol) => {
			const known = Object.keys(cases).filter(
				(name) => !cases[name]?.unknownTo?.some((each) => each === dialect.name || each === protocol),
			);
			test.each(known)("with %s", async (name) => {
				const one = cases[name];
				if (!one) throw new Error(name);
				const text = one.question.schema ? '{"n":1}' : "ok";
				await ask(dialect, protocol, one.question, [{ text }]);
				one.expects(asked(protocol));
			});

			test("again, with its calls and their results", async () => {
				const call = { toolCall: { name: "read", arguments: { path: "a" } } };
				const question: Question = { turns: [hi], tools: [tool] };
				const answer = await ask(dialect, protocol, question, [{ text: "I look." }, call, call]);
				const results = answer.calls.map(({ id, name }, at) => ({ id, name, text: `result ${at}` }));
				await ask(dialect, protocol, { ...question, turns: [hi, { answer }, { results }] });
				const { messages } = asked(protocol).context;
				expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "toolResult"]);
				const [, given, first, second] = messages;
				expect(given).toMatchObject({
					content: [
						{ type: "text", text: "I look." },
						{ type: "toolCall", name: "read", arguments: { path: "a" } },
						{ type: "toolCall", name: "read", arguments: { path: "a" } },
					],
				});
				expect(JSON.stringify(first?.content)).toContain("result 0");
				expect(JSON.stringify(second?.content)).toContain("result 1");
			});

			test("again, and its thinking comes back with the very signature", async () => {
				const signature = "dGhlIHZlcnkgc2lnbmF0dXJl";
				const question: Question = { turns: [hi], tools: [tool], level: "low", maxTokens: 32_000 };
				const blocks: Block[] = [
					{ thinking: "Hm, so.", signature },
					{ text: "I look." },
					{ toolCall: { name: "read", arguments: { path: "a" } } },
				];
				const answer = await ask(dialect, protocol, question, blocks);
				expect(answer.thinking).toBe("Hm, so.");
				const results = answer.calls.map(({ id, name }) => ({ id, name, text: "done" }));
				await ask(dialect, protocol, { ...question, turns: [hi, { answer }, { results }] });
				const { body } = served.played.requests.at(-1) ?? {};
				// Chat Completions has plain thinking, in its own field and without a signature.
				expect(JSON.stringify(body)).toContain(
					protocol === "completions" ? '"reasoning_content":"Hm, so."' : signature,
				);
				expect(JSON.stringify(body)).not.toContain("eyJ0YXUiOjEs");
				if (protocol === "messages") expect(JSON.stringify(body)).toContain("Hm, so.");
			});
		});
	},
);

describe("hidden thinking", () => {
	test.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
		"comes back through %s unchanged",
		async (_name, dialect) => {
			const hidden = "aGlkZGVuIHRob3VnaHRz";
			const question: Question = { turns: [hi], tools: [tool], level: "low", maxTokens: 32_000 };
			const call = { toolCall: { name: "read", arguments: { path: "a" } } };
			const answer = await ask(dialect, "messages", question, [
				{ redactedThinking: hidden },
				{ text: "I look." },
				call,
			]);
			expect(answer.isSigned).toBe(true);
			const results = answer.calls.map(({ id, name }) => ({ id, name, text: "done" }));
			await ask(dialect, "messages", { ...question, turns: [hi, { answer }, { results }] });
			const [, given] = asked("messages").context.messages;
			expect(given?.content[0]).toMatchObject({
				type: "thinking",
				thinkingSignature: hidden,
				redacted: true,
			});
		},
	);
});

describe("thinking between texts and calls", () => {
	test.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
		"keeps its order through %s",
		async (_name, dialect) => {
			const question: Question = { turns: [hi], tools: [tool], level: "low", maxTokens: 32_000 };
			const blocks: Block[] = [
				{ thinking: "First.", signature: "b25l" },
				{ text: "One." },
				{ thinking: "Second.", signature: "dHdv" },
				{ text: "Two." },
				{ toolCall: { name: "read", arguments: { path: "a" } } },
			];
			const answer = await ask(dialect, "messages", question, blocks);
			const results = answer.calls.map(({ id, name }) => ({ id, name, text: "done" }));
			await ask(dialect, "messages", { ...question, turns: [hi, { answer }, { results }] });
			const [, given] = asked("messages").context.messages;
			expect(given?.content).toMatchObject([
				{ type: "thinking", thinking: "First.", thinkingSignature: "b25l" },
				{ type: "text", text: "One." },
				{ type: "thinking", thinking: "Second.", thinkingSignature: "dHdv" },
				{ type: "text", text: "Two." },
				{ type: "toolCall", name: "read" },
			]);
		},
	);
});
