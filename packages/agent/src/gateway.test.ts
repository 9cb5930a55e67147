/** A run through a gateway equals a direct run: only the gateway has the key. */
import { expect, test } from "bun:test";

import { stream, type AssistantMessageEvent, type Context, type StreamOptions } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";

import { Agent } from "./agent.ts";
import { modelAt, textOutcome, tool } from "./testing/collect.ts";
import { asks, call } from "./testing/script.ts";

interface Received {
	model: { provider: string; id: string };
	context: Context;
	options: StreamOptions;
}

/** An event as docs/gateway-protocol.md describes it, without the partial message. */
function wireEvent(event: AssistantMessageEvent): object {
	switch (event.type) {
		case "toolcall_start": {
			const block = event.partial.content[event.contentIndex];
			const named = block?.type === "toolCall" ? { id: block.id, toolName: block.name } : {};
			return { type: event.type, contentIndex: event.contentIndex, ...named };
		}
		case "thinking_end": {
			const block = event.partial.content[event.contentIndex];
			const signature = block?.type === "thinking" ? block.thinkingSignature : undefined;
			return { type: event.type, contentIndex: event.contentIndex, signature };
		}
		case "done":
			return {
				type: "done",
				reason: event.reason,
				usage: event.message.usage,
				responseId: event.message.responseId,
			};
		case "error":
			return { type: "error", reason: event.reason, failure: event.error.failure };
		default: {
			const { partial: _, ...rest } = event;
			return rest;
		}
	}
}

/** A small gateway: it accepts one token, and forwards requests to the played model. */
function gateway(modelUrl: string) {
	const requests: Received[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			if (request.headers.get("authorization") !== "Bearer token") {
				return Response.json(
					{ error: { type: "authentication_error", message: "wrong token" } },
					{ status: 401 },
				);
			}
			const body = (await request.json()) as Received;
			requests.push(body);
			const answer = stream(modelAt(modelUrl), body.context, {
				...body.options,
				apiKey: "the real key",
				signal: request.signal,
			});
			const encoder = new TextEncoder();
			const events = new ReadableStream({
				async start(controller) {
					for await (const event of answer) {
						controller.enqueue(encoder.encode(`data: ${JSON.stringify(wireEvent(event))}\n\n`));
					}
					controller.close();
				},
			});
			return new Response(events, { headers: { "content-type": "text/event-stream" } });
		},
	});
	return { requests, url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}

async function through(steps: Scenario["steps"], token = "token") {
	await using played = await playModel({ steps });
	using server = gateway(played.anthropicUrl);
	const echo = tool("echo", async (_id, { text }) => ({
		...textOutcome(String(text)),
		details: { secret: "view only" },
	}));
	const agent = new Agent({
		model: { ...modelAt(server.url), api: "tau-gateway" },
		tools: [echo],
		getApiKey: () => token,
	});
	await agent.prompt("go");
	return { messages: agent.state.messages, requests: server.requests, played: played.requests };
}

test("text, thinking, calls and usage arrive unchanged", async () => {
	const blocks = [
		{ thinking: "hm", signature: "sig" },
		{ text: "Läuft 😀", chunks: 3 },
		call("echo", { text: "a", deep: { list: [1, "2"] } }),
	];
	const { messages, requests, played } = await through([asks(...blocks), "Done."]);
	const [, answer, result, last] = messages;
	expect(answer).toMatchObject({
		role: "assistant",
		model: "played-1",
		stopReason: "toolUse",
		content: [
			{ type: "thinking", thinking: "hm", thinkingSignature: "sig" },
			{ type: "text", text: "Läuft 😀" },
			{ type: "toolCall", name: "echo", arguments: { text: "a", deep: { list: [1, "2"] } } },
		],
	});
	expect(result).toMatchObject({ role: "toolResult", details: { secret: "view only" } });
	expect(last).toMatchObject({ stopReason: "stop" });
	expect(requests.map(({ model }) => model)).toEqual([
		{ provider: "played", id: "played-1" },
		{ provider: "played", id: "played-1" },
	]);
	expect(JSON.stringify(requests)).not.toContain("view only");
	expect(played[0]?.headers["x-api-key"]).toBe("the real key");
});

test("a refusal by the gateway and a failure behind it are reported by kind", async () => {
	const refused = await through([], "wrong");
	expect(refused.messages.at(-1)).toMatchObject({
		stopReason: "error",
		failure: { kind: "auth", status: 401 },
	});
	const failed = await through([{ fault: { http: 429, retryAfter: 3 } }]);
	expect(failed.messages.at(-1)).toMatchObject({ failure: { kind: "rate_limit", retryAfterMs: 3000 } });
});
