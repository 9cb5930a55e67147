/**
 * Lets several Tau use one language server. The one that started it owns it and is a client like the others, except
 * that only it configures and ends the server. The others learn the answers of its start.
 */
import { isRecord, log } from "@tau/utils";
import type { InitializeResult, Registration } from "vscode-languageserver-protocol";

import { encodingOf, registrationsIn, syncOf } from "../client/capabilities.ts";
import { channelPair, type MessageChannel } from "../client/channel.ts";
import type { SyncKind } from "../client/documents.ts";
import type { Encoding } from "../client/positions.ts";
import { limits } from "../limits.ts";
import { HubDocuments } from "./hub-documents.ts";
import { documentOf, messageOf, notification, own, type MessageId, type RpcMessage } from "./messages.ts";

interface HubClient {
	readonly isOwner: boolean;
	send(message: RpcMessage): void;
	close(): void;
}

interface PendingRequest {
	readonly client: HubClient;
	readonly id: MessageId;
	readonly method: string;
	done(): void;
}

/** Notifications of a client that concern the server as a whole. */
const ownersOnly = new Set(["initialized", "exit", "workspace/didChangeConfiguration"]);

export class ServerHub implements Disposable {
	readonly #upstream: MessageChannel;
	readonly #clients = new Set<HubClient>();
	readonly #owner: HubClient;
	/** For the Tau that owns the server. */
	readonly channel: MessageChannel;
	readonly #documents: HubDocuments;
	/** Requests of clients, by the id under which the server knows them. */
	readonly #pending = new Map<MessageId, PendingRequest>();
	/** Requests of the server, by the id under which a client knows them, and who answers. */
	readonly #asked = new Map<string, { client: HubClient; id: MessageId }>();
	readonly #registrations = new Map<string, Registration>();
	#ids = 0;
	/** The server is gone, or will be in a moment. */
	#isClosed = false;
	/** The answer to `initialize`, and those who wait for it. */
	#initialized: RpcMessage | undefined;
	readonly #waiting: { client: HubClient; id: MessageId }[] = [];
	#encoding: Encoding = "utf-16";
	#sync: SyncKind = "incremental";

	constructor(upstream: MessageChannel) {
		this.#upstream = upstream;
		const [inside, outside] = channelPair();
		this.channel = outside;
		this.#documents = new HubDocuments({
			send: (message) => upstream.send(message),
			clients: () => this.#clients,
			encoding: () => this.#encoding,
			sync: () => this.#sync,
		});
		this.#owner = this.#add(inside, true);
		upstream.listen({
			onMessage: (value) => handled("the server", () => this.#onServer(messageOf(value))),
			onClosed: (reason) => {
				inside.close(reason);
				this[Symbol.dispose]();
			},
		});
	}

	/** How many others use the server. */
	get guests(): number {
		return this.#clients.size - (this.#clients.has(this.#owner) ? 1 : 0);
	}

	/** Another Tau wants to use the server; `pid` is that of the server. */
	join(channel: MessageChannel, pid: number): void {
		if (this.#isClosed || this.guests >= limits.guests) return channel.close();
		this.#add(channel, false).send(notification(own.hello, { pid }));
	}

	/** The others have to find another server. */
	[Symbol.dispose](): void {
		this.#isClosed = true;
		for (const client of this.#clients) if (!client.isOwner) client.close();
	}

	#add(channel: MessageChannel, isOwner: boolean): HubClient {
		const client: HubClient = {
			isOwner,
			send: (message) => channel.send(message),
			close: () => channel.close(),
		};
		this.#clients.add(client);
		channel.listen({
			onMessage: (value) => {
				const isHandled = handled("a client", () => this.#onClient(client, messageOf(value)));
				// Its text is not known any more.
				if (!isHandled && !isOwner) channel.close();
			},
			onClosed: () => this.#left(client),
		});
		return client;
	}

	#left(client: HubClient): void {
		if (!this.#clients.delete(client)) return;
		for (const [id, request] of this.#pending) {
			if (request.client === client) this.#giveUp(id, request);
		}
		for (const [key, { client: asked, id }] of this.#asked) {
			if (asked !== client) continue;
			this.#asked.delete(key);
			this.#upstream.send({ jsonrpc: "2.0", id, error: { code: -32800, message: "The client is gone." } });
		}
		this.#documents.closeAll(client);
	}

	#onClient(client: HubClient, message: RpcMessage | undefined): void {
		if (!message || !this.#clients.has(client)) return;
		const { id, method, params } = message;
		if (method === undefined) return this.#onAnswer(client, message);
		if (id !== undefined) return this.#onRequest(client, { ...message, id, method });
		switch (method) {
			case "textDocument/didOpen":
				return this.#documents.open(client, params);
			case "textDocument/didChange":
				return this.#documents.change(client, params);
			case "textDocument/didClose":
				return this.#documents.close(client, documentOf(params).uri ?? "");
			case "$/cancelRequest":
				return this.#cancel(client, params);
			case own.ping:
				return client.send(notification(own.pong, {}));
			default:
				if (client.isOwner || !ownersOnly.has(method)) this.#upstream.send(message);
		}
	}

	#onRequest(client: HubClient, message: RpcMessage & { id: MessageId; method: string }): void {
		const { id, method, params } = message;
		if (!client.isOwner && method === "initialize") return this.#welcome(client, id);
		if (!client.isOwner && method === "shutdown") return client.send({ jsonrpc: "2.0", id, result: null });
		if (method === "shutdown") this[Symbol.dispose]();
		const done = this.#documents.focus(client, documentOf(params).uri);
		const upstreamId = ++this.#ids;
		this.#pending.set(upstreamId, { client, id, method, done });
		this.#upstream.send({ ...message, id: upstreamId });
	}

	/** What the server offers is known, or will be; also what it has registered since. */
	#welcome(client: HubClient, id: MessageId): void {
		if (!this.#initialized) return void this.#waiting.push({ client, id });
		client.send({ ...this.#initialized, id });
		if (this.#registrations.size === 0) return;
		const params = { registrations: [...this.#registrations.values()] };
		client.send({ jsonrpc: "2.0", id: `tau-${++this.#ids}`, method: "client/registerCapability", params });
	}

	#cancel(client: HubClient, params: unknown): void {
		const cancelled = isRecord(params) ? params.id : undefined;
		for (const [id, request] of this.#pending) {
			if (request.client === client && request.id === cancelled) this.#giveUp(id, request);
		}
	}

	/** A server that hangs may never answer it. */
	#giveUp(id: MessageId, request: PendingRequest): void {
		this.#upstream.send(notification("$/cancelRequest", { id }));
		request.done();
	}

	#onAnswer(client: HubClient, message: RpcMessage): void {
		const key = String(message.id);
		const asked = this.#asked.get(key);
		if (asked?.client !== client) return;
		this.#asked.delete(key);
		this.#upstream.send({ ...message, id: asked.id });
	}

	#onServer(message: RpcMessage | undefined): void {
		if (!message) return;
		const { id, method, params } = message;
		if (id !== undefined && method === undefined) return this.#onServerAnswer(message, id);
		if (id !== undefined) return this.#onServerRequest({ ...message, id });
		if (method === "textDocument/publishDiagnostics") return this.#documents.published(params);
		for (const client of this.#clients) client.send(message);
	}

	#onServerAnswer(message: RpcMessage, id: MessageId): void {
		const request = this.#pending.get(id);
		if (!request) return;
		this.#pending.delete(id);
		if (request.method === "initialize") this.#learn(message);
		if (this.#clients.has(request.client)) request.client.send({ ...message, id: request.id });
		request.done();
	}

	#learn(message: RpcMessage): void {
		const { result } = message;
		if (isRecord(result) && isRecord(result.capabilities)) {
			const { capabilities } = result as unknown as InitializeResult;
			this.#encoding = encodingOf(capabilities);
			this.#sync = syncOf(capabilities).sync;
		}
		this.#initialized = message;
		for (const { client, id } of this.#waiting.splice(0)) this.#welcome(client, id);
	}

	#onServerRequest(message: RpcMessage & { id: MessageId }): void {
		const { id, method, params } = message;
		const given = isRecord(params) ? params : {};
		if (method === "client/registerCapability") {
			for (const one of registrationsIn(given.registrations)) {
				if (this.#registrations.size < limits.registrations) this.#registrations.set(one.id, one);
			}
			this.#tellGuests(message);
		} else if (method === "client/unregisterCapability") {
			for (const one of registrationsIn(given.unregisterations)) this.#registrations.delete(one.id);
			this.#tellGuests(message);
		}
		// An edit belongs to the client that made the server run a command.
		const commanding = [...this.#pending.values()].findLast(
			(request) => request.method === "workspace/executeCommand",
		);
		const client = (method === "workspace/applyEdit" ? commanding?.client : undefined) ?? this.#owner;
		if (!this.#clients.has(client)) return;
		const key = `tau-${++this.#ids}`;
		this.#asked.set(key, { client, id });
		client.send({ ...message, id: key });
	}

	/** Their answers are not waited for: the owner's counts. */
	#tellGuests(message: RpcMessage): void {
		for (const client of this.#clients) {
			if (!client.isOwner) client.send({ ...message, id: `tau-${++this.#ids}` });
		}
	}
}

/** False if it failed: what comes from outside must not end the program. */
function handled(who: string, work: () => void): boolean {
	try {
		work();
		return true;
	} catch (error) {
		log.warn("a shared language server was sent something odd", { who, reason: String(error) });
		return false;
	}
}
