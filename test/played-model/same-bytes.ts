/** Random answers of the played model, whose bytes are served again in randomly cut chunks. */
import { stream, type Api, type AssistantMessage, type Model, type StreamOptions } from "@tau/ai";
import {
	playModel,
	testModel,
	type Answer,
	type Block,
	type PlayedModel,
	type Scenario,
} from "@tau/ai/testing";
import fc from "fast-check";

const chunks = fc.integer({ min: 1, max: 12 });
const count = fc.nat({ max: 100_000 });

function answersOf(minLength: number, ids: fc.Arbitrary<string | undefined>): fc.Arbitrary<Answer> {
	const words = fc.string({ unit: "grapheme", minLength, maxLength: 30 });
	const json = fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true });
	const toolCall = fc
		.tuple(fc.constantFrom("read", "bash"), json, ids)
		.map(([name, args, id]) => ({ name, arguments: args, ...(id === undefined ? {} : { id }) }));
	const block: fc.Arbitrary<Block> = fc.oneof(
		fc.record({ text: words, chunks }),
		fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }), chunks }),
		fc.base64String({ minLength: 4 }).map((redactedThinking) => ({ redactedThinking })),
		fc.record({ toolCall, chunks }),
	);
	return fc.record({
		blocks: fc.array(block, { maxLength: 5 }),
		usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
		stopReason: fc.constantFrom("stop" as const, "length" as const),
	});
}

export const anyAnswer = answersOf(0, fc.constant(undefined));

/** For protocols that do not transmit empty blocks and clients that accept repeated ids. */
export const anyAnswerOfWords = answersOf(1, fc.constantFrom("a", "b", "c", undefined));

/** Fractions of a body. */
export const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });

/** The response of a played model to one request. */
export async function bytesOf(
	scenario: Scenario,
	request: (played: PlayedModel) => Promise<Response>,
): Promise<Uint8Array> {
	await using played = await playModel(scenario);
	return new Uint8Array(await (await request(played)).arrayBuffer());
}

/** A server that answers every request with these bytes, in chunks that end at these fractions of them. */
export function serve(
	bytes: Uint8Array,
	cuts: readonly number[],
	contentType = "text/event-stream; charset=utf-8",
): Bun.Server<undefined> {
	const places = cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b);
	const borders = [0, ...places, bytes.length];
	const pieces = borders.slice(1).map((to, at) => bytes.subarray(borders[at], to));
	const body = () =>
		new ReadableStream({
			async start(controller) {
				for (const piece of pieces) {
					if (piece.length > 0) controller.enqueue(piece);
					await Promise.resolve();
				}
				controller.close();
			},
		});
	const headers = { "content-type": contentType };
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body(), { headers }) });
}

export function servedModel(api: Api, baseUrl: string, change: Partial<Model> = {}): Model {
	const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
	return testModel({ api, baseUrl, reasoning: true, input: ["text"], cost, ...change });
}

/** The answer that Tau reads from a server. */
export function messageFrom(
	baseUrl: string,
	api: Api,
	options: StreamOptions = {},
): Promise<AssistantMessage> {
	const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
	return stream(servedModel(api, baseUrl), context, options).result();
}
