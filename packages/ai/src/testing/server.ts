/** The played model: an HTTP server on loopback that answers as a vendor would, by a script. */

import { isRecord } from "@tau/utils";

import { Connection } from "./connection.ts";
import { RequestReader, type HttpRequest, type PlayedSocket, type RejectedRequest } from "./http-request.ts";
import { parseScenario } from "./parse-scenario.ts";
import { Playback } from "./playback.ts";
import { estimateUsage, inferStop, jsonReply, playedId, type Call, type PlayedProtocol } from "./protocol.ts";
import { protocols } from "./protocols.ts";
import { Inbox, type ReceivedRequest, type WaitOptions } from "./received.ts";
import { respond } from "./respond.ts";
import { httpOutlet, sendWhole, type Outlet } from "./response.ts";
import type { Answer, Scenario, ScriptStep, VendorError } from "./scenario.ts";
import { acceptance, FrameReader, frameOf, opcodes, SocketOutlet } from "./websocket.ts";

/** The model in the lists of models; any other is answered as well. */
export const playedModelId = "played-1";

export interface PlayOptions {
	/** 0, the default, takes any free port. */
	port?: number;
	/** Called when a request has arrived, before it is answered. */
	onRequest?: (request: ReceivedRequest) => void;
	/** False: the server knows no websockets, as most do not. */
	websockets?: boolean;
}

export interface PlayedModel extends AsyncDisposable {
	readonly port: number;
	readonly url: string;
	/** The base URL for the Anthropic SDK. */
	readonly anthropicUrl: string;
	/** The base URL for the OpenAI SDK. */
	readonly openaiUrl: string;
	/** The base URL of the Gemini API; its SDK takes `url` and adds the version itself. */
	readonly googleUrl: string;
	/** The model calls, in the order of arrival. */
	readonly requests: readonly ReceivedRequest[];
	/** All other requests: lists of models, unknown paths. */
	readonly others: readonly ReceivedRequest[];
	/** How many websockets are open. */
	readonly openSockets: number;
	/** Resolves with the n-th call, from 1, as soon as it has arrived. */
	waitForRequest(number: number, options?: WaitOptions): Promise<ReceivedRequest>;
	/** Resolves with the n-th call when it was answered or the client disconnected. */
	waitForEnd(number: number, options?: WaitOptions): Promise<ReceivedRequest>;
	/** Starts another script; active calls keep the old one. */
	setScenario(scenario: Scenario): void;
	close(): Promise<void>;
}

/** Throws when the scenario is invalid or the port is in use. */
export async function playModel(scenario: Scenario, options: PlayOptions = {}): Promise<PlayedModel> {
	return new PlayedServer(scenario, options);
}

interface Client {
	connection: Connection;
	reader: RequestReader;
	waiting: (HttpRequest | RejectedRequest)[];
	/** After an upgrade: the messages, and the request that asked for it. */
	frames?: { reader: FrameReader; opening: HttpRequest; socket: PlayedSocket };
	/** The end of the work on this connection, while there is some. */
	work: Promise<void> | undefined;
}

class PlayedServer implements PlayedModel {
	readonly port: number;
	readonly url: string;
	readonly anthropicUrl: string;
	readonly openaiUrl: string;
	readonly googleUrl: string;
	readonly #listener: Bun.TCPSocketListener<Client | undefined>;
	readonly #clients = new Set<Client>();
	readonly #calls = new Inbox();
	readonly #others = new Inbox();
	readonly #onRequest: PlayOptions["onRequest"];
	readonly #websockets: boolean;
	#sockets = 0;
	#playback: Playback;

	constructor(scenario: Scenario, { port = 0, onRequest, websockets = true }: PlayOptions) {
		this.#playback = playbackOf(scenario);
		this.#onRequest = onRequest;
		this.#websockets = websockets;
		this.#listener = this.#listen(port);
		this.port = this.#listener.port;
		this.url = `http://127.0.0.1:${this.port}`;
		this.anthropicUrl = this.url;
		this.openaiUrl = `${this.url}/v1`;
		this.googleUrl = `${this.url}/v1beta`;
	}

	get requests(): readonly ReceivedRequest[] {
		return this.#calls.requests;
	}

	get others(): readonly ReceivedRequest[] {
		return this.#others.requests;
	}

	get openSockets(): number {
		return [...this.#clients].filter(({ frames }) => frames !== undefined).length;
	}

	waitForRequest(number: number, options?: WaitOptions): Promise<ReceivedRequest> {
		return this.#calls.arrival(number, options);
	}

	waitForEnd(number: number, options?: WaitOptions): Promise<ReceivedRequest> {
		return this.#calls.ending(number, options);
	}

	setScenario(scenario: Scenario): void {
		this.#playback = playbackOf(scenario);
	}

	async close(): Promise<void> {
		this.#listener.stop();
		const clients = [...this.#clients];
		for (const client of clients) client.connection.drop();
		await Promise.all(clients.map((client) => client.work));
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	#listen(port: number): Bun.TCPSocketListener<Client | undefined> {
		return Bun.listen<Client | undefined>({
			hostname: "127.0.0.1",
			port,
			socket: {
				open: (socket) => {
					const connection = new Connection(socket);
					const reader = new RequestReader();
					const client: Client = { connection, reader, waiting: [], work: undefined };
					socket.data = client;
					this.#clients.add(client);
				},
				data: (socket, bytes) => {
					if (socket.data !== undefined) this.#receive(socket.data, bytes);
				},
				drain: (socket) => socket.data?.connection.drain(),
				close: (socket) => {
					if (socket.data === undefined) return;
					socket.data.connection.lost();
					this.#clients.delete(socket.data);
				},
				// A connection that fails is gone: `close` follows.
				error: (socket) => socket.data?.connection.lost(),
			},
		});
	}

	#receive(client: Client, bytes: Uint8Array): void {
		if (client.frames) return this.#receiveFrames(client, client.frames, bytes);
		client.reader.push(bytes);
		for (let read = client.reader.next(); read !== undefined; read = client.reader.next()) {
			client.waiting.push("refusal" in read ? read.refusal : read.request);
		}
		if (client.waiting.length > 0) client.work ??= this.#serve(client);
	}

	/** A message is a request at the address of the websocket. */
	#receiveFrames(client: Client, frames: NonNullable<Client["frames"]>, bytes: Uint8Array): void {
		const { reader, opening, socket } = frames;
		reader.push(bytes);
		for (let read = reader.next(); read !== undefined; read = reader.next()) {
			if (read.opcode === opcodes.close) return client.connection.cut();
			if (read.opcode === opcodes.ping) void client.connection.send(frameOf(opcodes.pong, read.payload));
			if (read.opcode !== opcodes.text) continue;
			client.waiting.push({ ...opening, rawBody: read.payload.toString("utf8"), keepAlive: true, socket });
		}
		if (client.waiting.length > 0) client.work ??= this.#serve(client);
	}

	/** True if the request asks for a websocket and gets one. */
	async #upgrade(client: Client, request: HttpRequest): Promise<boolean> {
		const { headers, path, socket } = request;
		const isAsked = socket === undefined && headers["upgrade"]?.toLowerCase() === "websocket";
		if (!isAsked || !this.#websockets || !protocols.some((each) => each.socketAt?.(path))) return false;
		client.frames = { reader: new FrameReader(), opening: request, socket: { number: ++this.#sockets } };
		await client.connection.send(acceptance(headers["sec-websocket-key"] ?? "", {}));
		return true;
	}

	/** Serves one request after the other, as HTTP/1.1 requires, however many arrived at once. */
	async #serve(client: Client): Promise<void> {
		const { connection, waiting } = client;
		for (let next = waiting.shift(); next !== undefined && connection.open; next = waiting.shift()) {
			if ("reason" in next) {
				await refuseConnection(connection, next);
				break;
			}
			if (await this.#upgrade(client, next)) continue;
			await this.#answer(connection, next);
			if (!next.keepAlive) connection.cut();
		}
		client.work = undefined;
	}

	async #answer(connection: Connection, request: HttpRequest): Promise<void> {
		const body = parseJson(request.rawBody);
		const isCall = (each: PlayedProtocol) =>
			request.socket ? each.socketAt?.(request.path) : each.matches(request.method, request.path);
		const protocol = protocols.find(isCall);
		const inbox = protocol === undefined ? this.#others : this.#calls;
		const received = inbox.add(request, body, protocol?.name);
		this.#onRequest?.(received);
		if (protocol === undefined) await answerOther(connection, request, received.number);
		else await this.#answerCall(connection, request, received, protocol);
		inbox.close(received, connection.hungUp);
	}

	async #answerCall(
		connection: Connection,
		request: HttpRequest,
		received: ReceivedRequest,
		protocol: PlayedProtocol,
	): Promise<void> {
		const { number: serial } = received;
		const requestId = playedId("req_", serial);
		const { socket } = request;
		const outlet: Outlet = socket ? new SocketOutlet(connection) : httpOutlet(connection);
		const refuse = (error: Partial<VendorError>) =>
			outlet.whole(protocol.error({ http: 400, error }, requestId));
		const read = socket ? protocol.readMessage?.(received.body, socket) : { body: received.body };
		if (read && "error" in read) return refuse(read.error);
		const body = read?.body;
		const refusal = protocol.refuse(request, body);
		if (refusal !== undefined || !isRecord(body)) {
			return refuse(refusal === undefined ? {} : { message: refusal });
		}
		const { path, rawBody } = request;
		const { script } = this.#playback;
		const step = this.#playback.next({ path, rawBody, protocol: protocol.name });
		if (step === undefined) {
			const message = `the played model has no step left for request ${serial} (${request.method} ${path})`;
			return refuse({ message });
		}
		const call: Call = {
			...castOf(step, protocol.modelOf?.(request) ?? String(body["model"]), rawBody),
			serial,
			body,
			startedAt: received.arrivedAt,
			...(script.reasoningField === undefined ? {} : { reasoningField: script.reasoningField }),
		};
		const streaming = protocol.wantsStream(request, body);
		const fault = step.fault === undefined ? {} : { fault: step.fault };
		await respond(connection, { outlet, protocol, call, streaming, requestId, ...fault });
		if (socket && !step.fault) socket.lastResponse = call.answer.id ?? playedId("resp_", serial);
	}
}

function playbackOf(scenario: Scenario): Playback {
	const parsed = parseScenario(scenario);
	if ("error" in parsed) throw new Error(`bad scenario: ${parsed.error}`);
	return new Playback(parsed.script);
}

const nothing: Answer = { blocks: [] };

function castOf(
	{ answer = nothing }: ScriptStep,
	model: string,
	rawBody: string,
): Pick<Call, "answer" | "usage" | "stopReason" | "model"> {
	return {
		answer,
		usage: estimateUsage(answer, rawBody),
		stopReason: inferStop(answer),
		model: answer.model ?? model,
	};
}

/** Lists of models, and the vendor's answer for unknown paths. */
async function answerOther(connection: Connection, request: HttpRequest, serial: number): Promise<void> {
	const protocol = protocols.find((each) => each.isClient(request));
	if (protocol === undefined) return refuseConnection(connection, { status: 404, reason: "not found" });
	const requestId = playedId("req_", serial);
	const isList = request.path === (protocol.modelsPath ?? "/v1/models");
	if (request.method === "GET" && isList) {
		return sendWhole(
			connection,
			jsonReply(200, protocol.headers(requestId), protocol.models([playedModelId])),
		);
	}
	const message = `Not found: ${request.method} ${request.path}`;
	return sendWhole(connection, protocol.error({ http: 404, error: { message } }, requestId));
}

/** For input that is not HTTP, so that its vendor is unknown. */
async function refuseConnection(connection: Connection, { status, reason }: RejectedRequest): Promise<void> {
	const headers = { "content-type": "text/plain", connection: "close" };
	await sendWhole(connection, { status, headers, body: `${reason}\n` });
	connection.cut();
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// Nothing is lost: the raw body is recorded, and the protocol refuses the request.
		return undefined;
	}
}
