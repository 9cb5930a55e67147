/** A provider whose answers are damaged on their way: every client gets an end, and the gateway continues. */
import { playModel, type PlayedModel } from "@tau/ai/testing";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";

import { samples } from "../support/depth.ts";
import { clients, type Question } from "./dialects/index.ts";
import { providers, serveGateway, servedModel, type ServedGateway } from "./gateway.ts";

const question: Question = {
	turns: [{ user: "hi" }],
	tools: [{ name: "read", description: "Reads", parameters: { type: "object" } }],
};

type Damage = (bytes: Buffer) => Buffer;
const at = (share: number, { length }: Buffer): number => Math.floor(share * length);
const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const anyDamage: fc.Arbitrary<Damage> = fc.oneof(
	fc.array(fc.tuple(share, fc.nat(255)), { minLength: 1, maxLength: 8 }).map((changes) => (bytes: Buffer) => {
		const changed = Buffer.from(bytes);
		for (const [where, value] of changes) changed[at(where, bytes)] = value;
		return changed;
	}),
	share.map((end) => (bytes: Buffer) => bytes.subarray(0, at(end, bytes))),
	fc.tuple(share, share).map(
		([end, start]) =>
			(bytes: Buffer) =>
				Buffer.concat([bytes.subarray(0, at(end, bytes)), bytes.subarray(at(start, bytes))]),
	),
	fc.tuple(share, fc.uint8Array({ minLength: 1, maxLength: 64 })).map(
		([end, noise]) =>
			(bytes: Buffer) =>
				Buffer.concat([bytes.subarray(0, at(end, bytes)), noise, bytes]),
	),
);

let played: PlayedModel;
let served: ServedGateway;
let network: Bun.Server<undefined>;
let damage: Damage = (bytes) => bytes;
beforeAll(async () => {
	const blocks = [
		{ thinking: "Hm, so.", signature: "c2ln", chunks: 3 },
		{ text: "Hello world. ".repeat(10), chunks: 10 },
		{ toolCall: { name: "read", arguments: { path: "a".repeat(50) } }, chunks: 8 },
	];
	played = await playModel({ steps: [], fallback: { answer: { blocks }, times: "always" } });
	network = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			const body = await request.text();
			const answer = await fetch(played.url + pathname + search, {
				method: "POST",
				headers: request.headers,
				body,
			});
			const bytes = damage(Buffer.from(await answer.arrayBuffer()));
			return new Response(bytes, { headers: { "content-type": answer.headers.get("content-type") ?? "" } });
		},
	});
	const models = providers.map((each) => {
		const model = servedModel(played, each);
		return { ...model, baseUrl: model.baseUrl.replace(played.url, network.url.origin) };
	});
	served = await serveGateway({ steps: [] }, { played, models });
});
afterAll(async () => {
	await served[Symbol.asyncDispose]();
	await Promise.all([network.stop(true), played.close()]);
});

async function active(): Promise<string | undefined> {
	const text = await (await fetch(`${served.url}/metrics`, { headers: { "x-api-key": "token" } })).text();
	return /^tau_gateway_active (.*)$/m.exec(text)?.[1];
}

describe.each(clients.map((client) => [client.name, client] as const))("a client of %s", (_name, client) => {
	test.each(providers.map((each) => [each]))(
		"with a model of %s is answered or refused",
		async (provider) => {
			const asking = fc.asyncProperty(anyDamage, fc.boolean(), async (each, streamed) => {
				damage = each;
				// Its own time limit would be an outcome, too: what hangs fails the test.
				await Promise.allSettled([client.ask(served.url, `played-${provider}`, question, streamed)]);
			});
			await fc.assert(asking, { numRuns: samples(200) });
			expect(await active()).toBe("0");
			damage = (bytes) => bytes;
			const { text } = await client.ask(served.url, `played-${provider}`, question, true);
			expect(text).toBe("Hello world. ".repeat(10));
		},
	);
});
