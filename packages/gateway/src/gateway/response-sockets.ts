/** The Responses protocol over a websocket: messages instead of requests, and an answer continues the one before. */
import { eventParser } from "@tau/ai";
import { list, object, parseObject, string, type Json } from "@tau/ai/serving";

import { limits } from "./limits.ts";

/** What a socket is connected with. */
export interface SocketState {
	/** Answers a body as `POST /v1/responses` would, until the socket is closed. */
	ask(body: Json, signal: AbortSignal): Promise<Response>;
	readonly closed: AbortController;
	/** Messages that wait for the answer before theirs, and their length together. */
	waiting: string[];
	waitingChars: number;
	isBusy: boolean;
	/** The last answer: the items of its conversation, which the next message may continue. */
	last?: { id: string; items: unknown[]; chars: number };
	/** Resolves when the client has read enough. */
	drained: PromiseWithResolvers<void> | undefined;
}

type Socket = Bun.ServerWebSocket<SocketState>;

export const responseSockets: Bun.WebSocketHandler<SocketState> = {
	maxPayloadLength: limits.bodyBytes,
	idleTimeout: limits.idleSeconds,
	backpressureLimit: limits.socketBytes,
	message(socket, message) {
		const { data } = socket;
		const text = String(message);
		data.waitingChars += text.length;
		if (data.waiting.length >= limits.socketMessages || data.waitingChars > limits.bodyBytes) {
			socket.close(1008, "too many messages");
			return;
		}
		data.waiting.push(text);
		if (!data.isBusy) void answerAll(socket);
	},
	drain: ({ data }) => data.drained?.resolve(),
	close({ data }) {
		data.closed.abort();
		data.drained?.resolve();
	},
};

export function socketState(ask: SocketState["ask"]): SocketState {
	return {
		ask,
		closed: new AbortController(),
		waiting: [],
		waitingChars: 0,
		isBusy: false,
		drained: undefined,
	};
}

/** One after the other, as the protocol says. */
async function answerAll(socket: Socket): Promise<void> {
	const { data } = socket;
	data.isBusy = true;
	for (;;) {
		const text = data.waiting.shift();
		if (text === undefined || data.closed.signal.aborted) break;
		data.waitingChars -= text.length;
		await answer(socket, text).catch(() => socket.close(1011, "the gateway failed"));
	}
	data.isBusy = false;
}

async function answer(socket: Socket, text: string): Promise<void> {
	const { data } = socket;
	const message = parseObject(text);
	if (message?.type !== "response.create")
		return await sendError(socket, "invalid_request_error", "Only response.create is known");
	const { type: _, previous_response_id: previous, ...body } = message;
	const own = typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input);
	if (previous && previous !== data.last?.id)
		return await sendError(socket, "previous_response_not_found", "The answer is not known");
	const { items = [], chars = 0 } = previous ? (data.last ?? {}) : {};
	if (chars + text.length > limits.bodyBytes)
		return await sendError(socket, "context_length_exceeded", "The conversation is too long");
	const input = [...items, ...own];
	const response = await data.ask({ ...body, input, stream: true }, data.closed.signal);
	if (!response.ok || !response.body) return await refuse(socket, response);
	const dropped = response.headers.get("x-tau-dropped")?.split(", ");
	// The header of an answer; clients ignore types that they do not know.
	if (dropped) await send(socket, JSON.stringify({ type: "tau.dropped", dropped }));
	const parser = eventParser("sse");
	for await (const chunk of response.body) {
		for (const event of parser.push(chunk).events) {
			if (event.data === "[DONE]") continue;
			remember(data, input, chars + text.length, event.data);
			await send(socket, event.data);
			if (data.closed.signal.aborted) return;
		}
	}
}

/** The items of an answer are known at its end. */
function remember(data: SocketState, input: readonly unknown[], chars: number, text: string): void {
	if (!text.includes('"response.completed"')) return;
	const event = object(parseObject(text));
	if (event.type !== "response.completed") return;
	const { id, output } = object(event.response);
	data.last = { id: string(id), items: [...input, ...list(output)], chars: chars + text.length };
}

async function refuse(socket: Socket, response: Response): Promise<void> {
	const body = object(parseObject(await response.text()));
	const headers = Object.fromEntries(
		[...response.headers].filter(([name]) => /^(?:retry-after|x-(?:tau|ratelimit)-)/.test(name)),
	);
	await send(socket, JSON.stringify({ type: "error", status: response.status, error: body.error, headers }));
}

async function sendError(socket: Socket, code: string, message: string): Promise<void> {
	const error = { type: "invalid_request_error", code, message };
	await send(socket, JSON.stringify({ type: "error", status: 400, error }));
}

/** A client that does not read holds up its answer, and only that. */
async function send(socket: Socket, text: string): Promise<void> {
	const { data } = socket;
	// A message that does not fit would be lost without a word.
	while (socket.getBufferedAmount() > limits.socketBytes / 2 && !data.closed.signal.aborted) {
		data.drained = Promise.withResolvers();
		await data.drained.promise;
	}
	socket.send(text);
}
