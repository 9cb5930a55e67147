/**
 * The documents of a server that several Tau use. Each has its own text and versions of a file; the server has one of
 * them, that of the client that set it last, and during a request that of the client that sent it.
 */
import { isRecord } from "@tau/utils";

import { contentChange, type SyncKind } from "../client/documents.ts";
import { PositionedText, type Encoding } from "../client/positions.ts";
import { limits } from "../limits.ts";
import { documentOf, notification, own, type RpcMessage } from "./messages.ts";

export interface DocumentClient {
	send(message: RpcMessage): void;
}

/** What one client has of a document. */
interface Held {
	version: number;
	text: string;
	/** The version of the server's document that has this text; undefined if none has. */
	serverVersion: number | undefined;
}

interface ServerDocument {
	readonly uri: string;
	version: number;
	text: string;
	/** Who set its text last, other than for a request. */
	latest: DocumentClient;
	/** Pending requests that need the text of their sender. */
	focused: number;
	readonly holders: Map<DocumentClient, Held>;
}

export interface HubDocumentOptions {
	send(message: RpcMessage): void;
	clients(): Iterable<DocumentClient>;
	encoding(): Encoding;
	sync(): SyncKind;
}

export class HubDocuments {
	readonly #options: HubDocumentOptions;
	readonly #documents = new Map<string, ServerDocument>();
	/** Never used twice, also for a document that is opened again. */
	#versions = 0;
	/** What was published last, by document. */
	readonly #published = new Map<string, Record<string, unknown>>();

	constructor(options: HubDocumentOptions) {
		this.#options = options;
	}

	open(client: DocumentClient, params: unknown): void {
		const { uri, version, text } = documentOf(params);
		if (uri === undefined || typeof version !== "number" || typeof text !== "string") return;
		const document = this.#documents.get(uri);
		if (document) return this.#set(document, client, version, text);
		const serverVersion = ++this.#versions;
		const holders = new Map([[client, { version, text, serverVersion }]]);
		this.#documents.set(uri, { uri, version: serverVersion, text, latest: client, focused: 0, holders });
		const textDocument = { ...documentOf(params), version: serverVersion };
		this.#options.send(notification("textDocument/didOpen", { textDocument }));
		this.#noteChange(client);
	}

	change(client: DocumentClient, params: unknown): void {
		const { uri, version } = documentOf(params);
		const document = uri === undefined ? undefined : this.#documents.get(uri);
		const held = document?.holders.get(client);
		const changes = isRecord(params) ? params.contentChanges : undefined;
		if (!document || !held || typeof version !== "number" || !Array.isArray(changes)) return;
		const text = changes.reduce<string>(
			(before, change: unknown) => applied(before, change, this.#options.encoding()),
			held.text,
		);
		this.#set(document, client, version, text);
	}

	close(client: DocumentClient, uri: string): void {
		const document = this.#documents.get(uri);
		if (!document?.holders.delete(client)) return;
		const [other] = document.holders.keys();
		if (other) {
			if (document.latest === client) document.latest = other;
			return this.#restore(document);
		}
		this.#documents.delete(uri);
		this.#published.delete(uri);
		this.#options.send(notification("textDocument/didClose", { textDocument: { uri } }));
		this.#noteChange(client);
	}

	closeAll(client: DocumentClient): void {
		for (const uri of this.#documents.keys()) this.close(client, uri);
	}

	/** Called before a request, which is about the sender's text. Returns what to do after the answer. */
	focus(client: DocumentClient, uri: string | undefined): () => void {
		const document = uri === undefined ? undefined : this.#documents.get(uri);
		const held = document?.holders.get(client);
		if (!document || !held) return () => {};
		this.#put(document, held.text, client);
		document.focused++;
		let isOver = false;
		return () => {
			if (isOver) return;
			isOver = true;
			document.focused--;
			if (this.#documents.get(document.uri) === document) this.#restore(document);
		};
	}

	/** Diagnostics go to those whose text they are about, under their own version. */
	published(params: unknown): void {
		if (!isRecord(params) || typeof params.uri !== "string") return;
		const { uri } = params;
		this.#published.delete(uri);
		this.#published.set(uri, params);
		const [oldest] = this.#published.keys();
		if (this.#published.size > limits.publishedFiles && oldest !== undefined) this.#published.delete(oldest);
		for (const client of this.#options.clients()) this.#deliver(client, params);
	}

	#deliver(client: DocumentClient, params: Record<string, unknown>): void {
		const { uri, version } = params;
		const document = this.#documents.get(String(uri));
		const held = document?.holders.get(client);
		if (document && held && held.serverVersion !== (version ?? document.version)) return;
		const { version: _, ...rest } = params;
		// A version means something only to those who have the document.
		const named = held && typeof version === "number" ? { version: held.version } : {};
		client.send(notification("textDocument/publishDiagnostics", { ...rest, ...named }));
	}

	#set(document: ServerDocument, client: DocumentClient, version: number, text: string): void {
		document.latest = client;
		const isSame = document.text === text;
		document.holders.set(client, { version, text, serverVersion: isSame ? document.version : undefined });
		if (!isSame) return this.#put(document, text, client);
		// The server says nothing about a text that it has already.
		const known = this.#published.get(document.uri);
		if (known?.version === document.version) this.#deliver(client, known);
		else if (known && typeof known.version !== "number") this.#send(document, text);
	}

	#put(document: ServerDocument, text: string, client: DocumentClient): void {
		if (document.text === text) return;
		this.#send(document, text);
		this.#noteChange(client);
	}

	#send(document: ServerDocument, text: string): void {
		const before = new PositionedText(document.text, this.#options.encoding());
		document.version = ++this.#versions;
		document.text = text;
		for (const held of document.holders.values()) {
			if (held.text === text) held.serverVersion = document.version;
		}
		const { uri, version } = document;
		const change = this.#options.sync() === "full" ? { text } : contentChange(before, text);
		this.#options.send(
			notification("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [change] }),
		);
	}

	/** After a request for an older text: the latest one is the server's again. */
	#restore(document: ServerDocument): void {
		const held = document.holders.get(document.latest);
		if (document.focused === 0 && held) this.#put(document, held.text, document.latest);
	}

	#noteChange(by: DocumentClient): void {
		for (const client of this.#options.clients()) {
			if (client !== by) client.send(notification(own.changed, {}));
		}
	}
}

/** Throws if it is no change of a document. */
function applied(text: string, change: unknown, encoding: Encoding): string {
	if (!isRecord(change) || typeof change.text !== "string") throw new Error("a change without a text");
	if (change.range === undefined) return change.text;
	const { start, end } = isRecord(change.range) ? change.range : {};
	const positions = new PositionedText(text, encoding);
	const offset = (position: unknown): number => {
		const { line, character } = isRecord(position) ? position : {};
		if (typeof line !== "number" || typeof character !== "number")
			throw new Error("a change without a place");
		return positions.offsetAt({ line, character });
	};
	return text.slice(0, offset(start)) + change.text + text.slice(offset(end));
}
