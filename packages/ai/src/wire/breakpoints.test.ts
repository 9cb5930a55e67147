/**
 * The marks of requests against the rules that the vendors document, played by a small cache: at most four marks; tools,
 * then system prompt, then messages; a longer lifetime never after a shorter one; an entry at each mark; and a search of
 * at most 20 blocks back from each mark. Whatever a conversation does, a request finds all that the one before it wrote.
 */
import { describe, expect, test } from "bun:test";

import { isRecord } from "@tau/utils";

import { testModel } from "../testing/index.ts";
import { MessageBuilder } from "../message-builder.ts";
import { builtinModels, providers } from "../providers/index.ts";
import type { AssistantContent, Context, Message, Model, StreamOptions } from "../types.ts";
import { encode as anthropic } from "./anthropic-messages/encode.ts";
import { encode as bedrock } from "./bedrock-converse-stream/encode.ts";
import { encode as completions } from "./openai-completions/encode.ts";
import { codecFor } from "./table.ts";
import { platformBody as responses } from "./openai-responses/encode.ts";

const lookback = 20;
const mostMarks = 4;
const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const model = testModel({ cost });

interface Block {
	text: string;
	/** The lifetime of the entry that ends here; undefined without a mark. */
	ttl: string | undefined;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A block with its own mark, as Anthropic and its gateways have it. */
function marked(value: unknown): Block {
	if (!isRecord(value) || !isRecord(value.cache_control))
		return { text: JSON.stringify(value), ttl: undefined };
	const { cache_control: mark, ...rest } = value;
	return { text: JSON.stringify(rest), ttl: typeof mark.ttl === "string" ? mark.ttl : "5m" };
}

/** Bedrock's marks are blocks of their own, for the one before. */
function pointed(values: readonly unknown[]): Block[] {
	const blocks: Block[] = [];
	for (const value of values) {
		const point = isRecord(value) ? value.cachePoint : undefined;
		const last = blocks.at(-1);
		if (!isRecord(point)) blocks.push({ text: JSON.stringify(value), ttl: undefined });
		else if (last) last.ttl = typeof point.ttl === "string" ? point.ttl : "5m";
	}
	return blocks;
}

const contents = (messages: unknown): unknown[][] =>
	list(messages).map((message) => (isRecord(message) ? list(message.content) : []));

const protocols: Record<string, (context: Context, options: StreamOptions) => Block[]> = {
	"anthropic-messages": (context, options) => {
		const body = anthropic(model, context, options);
		return [...list(body.tools), ...list(body.system), ...contents(body.messages).flat()].map(marked);
	},
	"bedrock-converse-stream": (context, options) => {
		const body = bedrock(model, context, options);
		const tools = isRecord(body.toolConfig) ? list(body.toolConfig.tools) : [];
		return [
			...pointed(tools),
			...pointed(list(body.system)),
			...contents(body.messages).flatMap((content) => pointed(content)),
		];
	},
	"openai-completions, to Anthropic": (context, options) => {
		const gateway: Model = {
			...model,
			api: "openai-completions",
			compat: { cacheControlFormat: "anthropic" },
		};
		const body = completions(gateway, context, options);
		return [
			...list(body.tools),
			...list(body.messages).flatMap((message) => {
				if (!isRecord(message) || !Array.isArray(message.content)) return [message];
				const { content, ...rest } = message;
				return [...list(content), ...(rest.tool_calls ? [rest] : [])];
			}),
		].map(marked);
	},
};

/** Keeps an entry for the prefix that ends at each mark, and finds the longest one that a request can reach. */
class PlayedCache {
	readonly #entries = new Set<string>();

	/** The number of blocks that were read from the cache. */
	request(blocks: readonly Block[]): number {
		const prefixes: string[] = [];
		for (const { text } of blocks) prefixes.push(`${prefixes.at(-1) ?? ""}${text}\n`);
		let found = 0;
		for (const [at, { ttl }] of blocks.entries()) {
			if (ttl === undefined) continue;
			for (let back = at; back >= 0 && back > at - lookback; back--)
				if (this.#entries.has(prefixes[back] ?? "")) found = Math.max(found, back + 1);
		}
		for (const [at, { ttl }] of blocks.entries())
			if (ttl !== undefined) this.#entries.add(prefixes[at] ?? "");
		return found;
	}
}

/** What is sent after each answer: turns with many calls at once, steering, and several prompts in a row. */
function conversation(): Message[][] {
	const messages: Message[] = [];
	const sent: Message[][] = [];
	let calls = 0;
	const send = (): void => void sent.push([...messages]);
	const user = (content: string): void => void messages.push({ role: "user", content, timestamp: 1 });
	const answer = (content: AssistantContent[]): void =>
		void messages.push({ ...new MessageBuilder(model).message, content, stopReason: "stop" });
	const useTools = (count: number): void => {
		const ids = Array.from({ length: count }, () => `call${calls++}`);
		answer(ids.map((id) => ({ type: "toolCall", id, name: "ls", arguments: { path: id } })));
		for (const toolCallId of ids)
			messages.push({
				role: "toolResult",
				toolCallId,
				toolName: "ls",
				content: [{ type: "text", text: toolCallId }],
				isError: false,
				timestamp: 1,
			});
	};
	user("start");
	send();
	for (const count of [1, 3, 30, 1, 45, 2]) {
		useTools(count);
		send();
	}
	user("steering");
	send();
	answer([{ type: "text", text: "Done." }]);
	user("one");
	user("two");
	send();
	useTools(25);
	user("steered");
	send();
	answer([{ type: "text", text: "Done." }]);
	user("end");
	send();
	return sent;
}

const tools = [
	{ name: "ls", description: "Lists", parameters: {} },
	{ name: "ps", description: "Shows", parameters: {} },
];

describe.each(Object.entries(protocols))("%s", (_, blocksOf) => {
	const requests = (options: StreamOptions): Block[][] =>
		conversation().map((messages) => blocksOf({ systemPrompt: "Be brief.", tools, messages }, options));

	test("each request reads everything that the request before it wrote", () => {
		const cache = new PlayedCache();
		let written = 0;
		for (const blocks of requests({})) {
			expect(cache.request(blocks)).toBeGreaterThanOrEqual(written);
			written = blocks.findLastIndex(({ ttl }) => ttl !== undefined) + 1;
			// All of it is written: the next turn pays for nothing twice.
			expect(written).toBe(blocks.length);
		}
	});

	test("there are never more than four marks, and no longer lifetime follows a shorter one", () => {
		for (const cacheRetention of ["short", "long"] as const) {
			for (const blocks of requests({ cacheRetention })) {
				const lifetimes = blocks.flatMap(({ ttl }) => (ttl === undefined ? [] : [ttl]));
				expect(lifetimes.length).toBeLessThanOrEqual(mostMarks);
				expect(new Set(lifetimes)).toEqual(new Set([cacheRetention === "long" ? "1h" : "5m"]));
			}
		}
	});

	test("without retention there are none", () => {
		for (const blocks of requests({ cacheRetention: "none" }))
			expect(blocks.filter(({ ttl }) => ttl !== undefined)).toEqual([]);
	});
});

describe("openai-responses caches prefixes by itself", () => {
	const context: Context = { systemPrompt: "Be brief.", tools, messages: conversation()[3] ?? [] };
	const openai: Model = { ...model, api: "openai-responses" };

	test("requests of a conversation share a key, and ask for a day only if the user does", () => {
		const short = responses(openai, context, { sessionId: "s" });
		expect(short.prompt_cache_key).toBe("s");
		expect(short).not.toHaveProperty("prompt_cache_retention");
		const long = responses(openai, context, { sessionId: "s", cacheRetention: "long" });
		expect(long.prompt_cache_retention).toBe("24h");
		const none = responses(openai, context, { sessionId: "s", cacheRetention: "none" });
		expect(none).not.toHaveProperty("prompt_cache_key");
		expect(JSON.stringify(short)).not.toContain("cache_control");
	});
});

/** Anthropic caches only what is marked, at every provider that offers the model. */
test("each Claude model of the catalogue is asked with marks, whatever its provider and protocol", async () => {
	const without = new Set<string>();
	let count = 0;
	for (const provider of providers)
		for (const one of builtinModels(provider.id)) {
			if (!/claude/.test(one.id)) continue;
			count++;
			const codec = await codecFor(one.api);
			const body = JSON.stringify(codec?.encode(one, { tools, messages: conversation()[3] ?? [] }, {}));
			if (!/"cache_control"|"cachePoint"/.test(body)) without.add(`${one.provider} ${one.api}`);
		}
	expect(count).toBeGreaterThan(100);
	expect([...without]).toEqual([]);
});
