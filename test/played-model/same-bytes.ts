/** Any answer that can be played, and its bytes served again and again, cut where chance wants it. */
import type { Api, Model } from "@tau/ai";
import { playModel, type Answer, type Block, type PlayedModel, type Scenario } from "@tau/ai/testing";
import fc from "fast-check";

const words = fc.string({ unit: "grapheme", maxLength: 30 });
const chunks = fc.integer({ min: 1, max: 12 });
const block: fc.Arbitrary<Block> = fc.oneof(
	fc.record({ text: words, chunks }),
	fc.record({ thinking: words, signature: fc.base64String({ minLength: 4 }), chunks }),
	fc.base64String({ minLength: 4 }).map((redactedThinking) => ({ redactedThinking })),
	fc.record({
		toolCall: fc.record({
			name: fc.constantFrom("read", "bash"),
			arguments: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
		}),
		chunks,
	}),
);
const count = fc.nat({ max: 100_000 });

export const anyAnswer: fc.Arbitrary<Answer> = fc.record({
	blocks: fc.array(block, { maxLength: 5 }),
	usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
	stopReason: fc.constantFrom("stop" as const, "length" as const),
});

/** Fractions of a body. */
export const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });

/** What a played model sends for one request. */
export async function bytesOf(
	scenario: Scenario,
	request: (played: PlayedModel) => Promise<Response>,
): Promise<Uint8Array> {
	await using played = await playModel(scenario);
	return new Uint8Array(await (await request(played)).arrayBuffer());
}

/** A server that sends these bytes to everybody, in pieces that end at these fractions of them. */
export function serve(bytes: Uint8Array, cuts: readonly number[]): Bun.Server<undefined> {
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
	const headers = { "content-type": "text/event-stream; charset=utf-8" };
	return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body(), { headers }) });
}

export function servedModel(api: Api, baseUrl: string): Model {
	return {
		id: "played-1",
		name: "Played",
		api,
		provider: "played",
		baseUrl,
		reasoning: true,
		input: ["text"],
		cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
		contextWindow: 1000,
		maxTokens: 1000,
	};
}
