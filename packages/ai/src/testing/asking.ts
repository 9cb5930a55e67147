/**
 * Sends a request to a played model, or to a server with fixed bytes, and collects the answer: for the package's
 * tests.
 */
import { onDispose } from "@tau/utils";

import { stream } from "../stream.ts";
import {
	assertWellFormed,
	playModel,
	testModel,
	type PlayedModel,
	type Scenario,
	type Step,
} from "./index.ts";
import type {
	Api,
	AssistantMessage,
	AssistantMessageEvent,
	AssistantMessageEventStream,
	Context,
	Model,
	StreamOptions,
} from "../types.ts";

export const apis = ["anthropic-messages", "openai-completions"] as const;

export const hello: Context = { messages: [{ role: "user", content: "hello", timestamp: 0 }] };

export function modelAt(baseUrl: string, api: Api, change: Partial<Model> = {}): Model {
	const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	return testModel({ api, baseUrl, cost, contextWindow: 200_000, maxTokens: 8192, ...change });
}

export function playedModel(played: PlayedModel, api: Api, change: Partial<Model> = {}): Model {
	return modelAt(api === "anthropic-messages" ? played.anthropicUrl : played.openaiUrl, api, change);
}

export interface ReceivedAnswer {
	events: AssistantMessageEvent[];
	message: AssistantMessage;
}

/** Reads a stream to its end; fails the test when the events violate the contract. */
export async function receive(answers: AssistantMessageEventStream): Promise<ReceivedAnswer> {
	const events: AssistantMessageEvent[] = [];
	for await (const event of answers) events.push(event);
	assertWellFormed(events);
	return { events, message: await answers.result() };
}

/** One request to a model that plays these steps. */
export async function ask(
	api: Api,
	steps: (Step | string)[],
	{ options = {}, reasoningField }: { options?: StreamOptions } & Pick<Scenario, "reasoningField"> = {},
): Promise<ReceivedAnswer> {
	await using played = await playModel({ steps, ...(reasoningField ? { reasoningField } : {}) });
	return await receive(stream(playedModel(played, api), hello, options));
}

/** One request to a server that answers everything with this. */
export async function askServer(api: Api, respond: (request: Request) => Response): Promise<ReceivedAnswer> {
	await using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
	return await receive(stream(modelAt(server.url.href, api), hello));
}

/** One request to a server that sends these events unchanged. */
export function askEvents(api: Api, events: readonly (object | string)[]): Promise<ReceivedAnswer> {
	const lines = events.map((event) => (typeof event === "string" ? event : JSON.stringify(event)));
	const body = lines.map((line) => `data: ${line}\n\n`).join("");
	return askServer(api, () => new Response(body, { headers: { "content-type": "text/event-stream" } }));
}

/** Sets environment variables until it is disposed. */
export function setEnv(values: Record<string, string>): Disposable {
	const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
	Object.assign(process.env, values);
	return onDispose(() => {
		for (const [name, value] of before) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	});
}
