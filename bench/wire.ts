/** The bytes that a played model sends for an answer, and a network that gives them back without a socket. */
import { stream, type AssistantMessage, type AssistantMessageEvent, type Context, type Model } from "@tau/ai";
import { playModel, testModel, type Answer, type PlayedModel } from "@tau/ai/testing";

export interface Protocol {
	api: Model["api"];
	baseUrl(played: PlayedModel): string;
}

const question: Context = { messages: [{ role: "user", content: "hello", timestamp: 0 }] };

/** As much as a socket hands out at once. */
const chunkBytes = 64 * 1024;

export function modelAt(baseUrl: string, api: Model["api"]): Model {
	const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	return testModel({ api, baseUrl, input: ["text"], cost, contextWindow: 200_000, maxTokens: 8192 });
}

/** Asks by the protocol's own request, so that a new protocol needs no bytes of its own here. */
export async function bytesOf({ api, baseUrl }: Protocol, answer: Answer): Promise<Uint8Array> {
	await using played = await playModel({ steps: [{ answer }] });
	let bytes: Uint8Array = new Uint8Array();
	const real = globalThis.fetch;
	{
		using _network = withFetch(async (...request) => {
			bytes = await (await real(...request)).bytes();
			return eventStream([bytes]);
		});
		const received = await receive(modelAt(baseUrl(played), api));
		if (received.stopReason === "error") throw new Error(`${api}: ${received.errorMessage}`);
	}
	return bytes;
}

/** The answer of a model to one question, read as it comes. */
export async function receive(
	model: Model,
	onEvent: (event: AssistantMessageEvent) => void = () => {},
): Promise<AssistantMessage> {
	const answers = stream(model, question, { apiKey: "key" });
	for await (const event of answers) onEvent(event);
	return answers.result();
}

type Fetch = (...request: Parameters<typeof fetch>) => Promise<Response>;

/** Takes the place of the network until it is disposed of. */
export function withFetch(answer: Fetch): Disposable {
	const real = globalThis.fetch;
	globalThis.fetch = Object.assign(answer, { preconnect: real.preconnect });
	return { [Symbol.dispose]: () => void (globalThis.fetch = real) };
}

export function eventStream(chunks: Iterable<Uint8Array>): Response {
	const rest = Iterator.from(chunks);
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			const { value, done } = rest.next();
			if (done) controller.close();
			else controller.enqueue(value);
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.slice(at, at + chunkBytes);
}
