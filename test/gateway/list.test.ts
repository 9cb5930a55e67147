/** A client of Google's protocol that asks for a stream without `alt=sse` reads one JSON list, as from the vendor. */
import { Keys, readRights, SqliteLedger } from "@tau/gateway";
import { playModel, type Scenario } from "@tau/ai/testing";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { providers, serveGateway, servedModel, type ServedGateway } from "./gateway.ts";

interface Item {
	candidates?: { content?: { parts?: { text?: string }[] }; finishReason?: string }[];
	usageMetadata?: { promptTokenCount?: number; candidatesTokenCount?: number };
	error?: { code: number; status: string };
}

const answers: Scenario = {
	steps: [],
	fallback: {
		answer: { blocks: [{ text: "one two three ü 🎉", chunks: 4 }], usage: { input: 1_000_000, output: 20 } },
		times: "always",
	},
};

async function ask({ url }: ServedGateway, model: string, token = "token", query = ""): Promise<Response> {
	return await fetch(`${url}/v1beta/models/${model}:streamGenerateContent${query}`, {
		method: "POST",
		headers: { "x-goog-api-key": token },
		body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
	});
}

async function itemsOf(response: Response): Promise<Item[]> {
	expect(response.headers.get("content-type")).toMatch(/^application\/json/);
	const items = (await response.json()) as Item[];
	expect(Array.isArray(items)).toBe(true);
	return items;
}

function textOf(items: readonly Item[]): string {
	return items
		.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
		.map(({ text }) => text ?? "")
		.join("");
}

describe("a stream is a JSON list", () => {
	test.each(providers.map((each) => [each]))("of a model of %s", async (provider) => {
		await using served = await serveGateway(answers);
		for (const query of ["", "?alt=json"]) {
			const items = await itemsOf(await ask(served, `played-${provider}`, "token", query));
			expect(items.length).toBeGreaterThan(1);
			expect(textOf(items)).toBe("one two three ü 🎉");
			expect(items.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
			const usage = { promptTokenCount: 1_000_000, candidatesTokenCount: 20 };
			expect(items.at(-1)?.usageMetadata).toMatchObject(usage);
		}
		const events = await ask(served, `played-${provider}`, "token", "?alt=sse");
		expect(events.headers.get("content-type")).toMatch(/^text\/event-stream/);
	});

	test("whose items arrive while the model writes", async () => {
		const mayEnd = Promise.withResolvers<void>();
		const item = (text: string): string =>
			`data: {"candidates":[{"content":{"parts":[{"text":"${text}"}]}}]}\r\n\r\n`;
		await using provider = Bun.serve({
			port: 0,
			hostname: "127.0.0.1",
			fetch: () =>
				new Response(
					(async function* () {
						yield Buffer.from(item("one"));
						await mayEnd.promise;
						yield Buffer.from(item("two"));
					})(),
					{ headers: { "content-type": "text/event-stream" } },
				),
		});
		await using played = await playModel({ steps: [] });
		const model = servedModel(played, "google", { baseUrl: `${provider.url.origin}/v1beta` });
		await using served = await serveGateway({ steps: [] }, { models: [model] });
		const reader = (await ask(served, "played-google")).body?.getReader();
		const { value } = (await reader?.read()) ?? {};
		mayEnd.resolve();
		expect(Buffer.from(value ?? []).toString()).toBe(`[${item("one").slice(6).trimEnd()}`);
		let rest = "";
		for (;;) {
			const piece = await reader?.read();
			if (piece?.done !== false) break;
			rest += Buffer.from(piece.value).toString();
		}
		expect(rest).toBe(`,\r\n${item("two").slice(6).trimEnd()}]`);
	});
});

test("its tokens are counted, also those of a provider of the same protocol", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-gateway-list-"));
	const ledger = new SqliteLedger(join(directory, "keys.db"));
	await using served = await serveGateway(answers, { ledger });
	const { key } = await new Keys(ledger).create(readRights({ budget: "1/day" }));
	expect(textOf(await itemsOf(await ask(served, "played-google", key)))).toContain("one");
	expect((await ask(served, "played-google", key)).status).toBe(429);
	await ledger[Symbol.asyncDispose]();
	rmSync(directory, { recursive: true });
});

describe("an error is a list, too", () => {
	test.each([["played-google"], ["played-messages"]])("before the answer of %s", async (model) => {
		const steps = [{ fault: { http: 429, retryAfter: 7 } } as const];
		await using served = await serveGateway({ steps, fallback: "ok" });
		const limited = await ask(served, model);
		expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
		expect((await itemsOf(limited))[0]?.error).toMatchObject({ code: 429, status: "RESOURCE_EXHAUSTED" });
		const stranger = await ask(served, model, "wrong");
		expect(stranger.status).toBe(401);
		expect((await itemsOf(stranger))[0]?.error).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
		const unknown = await ask(served, "nobody");
		expect((await itemsOf(unknown))[0]?.error).toMatchObject({ code: 404, status: "NOT_FOUND" });
	});

	test.each([
		["in a response", 'data: {"candidates":[{"content":{"parts":[{"te'],
		["between responses", ""],
		["after what is no JSON", "data: hello\n\n"],
	])("when the provider breaks off %s", async (_where, torn) => {
		const first = 'data: {"candidates":[{"content":{"parts":[{"text":"one"}]}}]}\n\n';
		const isRead = Promise.withResolvers<void>();
		const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
		const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
		await using provider = Bun.listen({
			hostname: "127.0.0.1",
			port: 0,
			socket: {
				open: (socket) => void socket.write(head + chunk(first + torn)),
				async data(socket) {
					await isRead.promise;
					socket.end();
				},
			},
		});
		await using played = await playModel({ steps: [] });
		const baseUrl = `http://127.0.0.1:${provider.port}/v1beta`;
		await using served = await serveGateway(
			{ steps: [] },
			{ models: [servedModel(played, "google", { baseUrl })] },
		);
		const [copy, watched] = (await ask(served, "played-google")).body?.tee() ?? [];
		await watched?.getReader().read();
		isRead.resolve();
		const items = await itemsOf(new Response(copy, { headers: { "content-type": "application/json" } }));
		expect(textOf(items)).toBe("one");
		expect(items.at(-1)?.error).toBeDefined();
	});
});
