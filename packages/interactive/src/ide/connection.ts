/** The connection to an editor: MCP over a WebSocket of this machine, as the extensions of Claude Code speak it. */
import { abortable, isRecord, log, timer } from "@tau/utils";

import { limits } from "./limits.ts";
import type { OfferedEditor } from "./lock-files.ts";

export interface EditorEvents {
	/** What the editor tells unasked, such as `selection_changed`. */
	onNotification(method: string, params: Readonly<Record<string, unknown>>): void;
	/** Once, when the connection is lost; not when it was disposed of. */
	onLost(): void;
}

interface Pending {
	resolve(result: Readonly<Record<string, unknown>>): void;
	reject(error: Error): void;
}

export class EditorConnection implements Disposable {
	readonly #socket: WebSocket;
	readonly #events: EditorEvents;
	readonly #pending = new Map<number, Pending>();
	#lastId = 0;
	#isOpen = false;
	#isClosed = false;

	private constructor(socket: WebSocket, events: EditorEvents) {
		this.#socket = socket;
		this.#events = events;
		socket.addEventListener("message", ({ data }) => this.#take(data));
		socket.addEventListener("close", () => this.#lose());
	}

	/** Rejects with the reason for the user. */
	static async open(editor: OfferedEditor, events: EditorEvents): Promise<EditorConnection> {
		const { name, port, token } = editor;
		const socket = new WebSocket(`ws://127.0.0.1:${port}`, {
			protocols: ["mcp"],
			headers: { "x-claude-code-ide-authorization": token },
		});
		const connection = new EditorConnection(socket, events);
		const opened = Promise.withResolvers<void>();
		const fail = (why: string): void =>
			opened.reject(new Error(`${name} (port ${port}) ${why}. Reload its window, or see docs/ide.md.`));
		socket.addEventListener("open", () => opened.resolve());
		socket.addEventListener("error", () => fail("does not answer"));
		socket.addEventListener("close", () => fail("refused the connection"));
		using _late = timer(limits.connectMs, () => fail("does not answer"));
		try {
			await opened.promise;
			await connection.#initialize();
			return connection;
		} catch (error) {
			connection[Symbol.dispose]();
			throw error;
		}
	}

	async #initialize(): Promise<void> {
		await this.request("initialize", {
			protocolVersion: "2025-03-26",
			capabilities: {},
			clientInfo: { name: "tau", version: "1" },
		});
		this.#send({ method: "notifications/initialized", params: {} });
		this.#send({ method: "ide_connected", params: { pid: process.pid } });
		this.#isOpen = true;
	}

	/** The texts of the result of a tool of the editor. Without a signal it has to answer soon. */
	async callTool(
		name: string,
		args: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
	): Promise<string[]> {
		const { content, isError } = await this.request("tools/call", { name, arguments: args }, signal);
		const texts = (Array.isArray(content) ? content : []).flatMap((part: unknown) =>
			isRecord(part) && part.type === "text" && typeof part.text === "string" ? [part.text] : [],
		);
		if (isError === true) throw new Error(`The editor refused ${name}: ${texts.join(" ") || "no reason"}`);
		return texts;
	}

	async request(
		method: string,
		params: Readonly<Record<string, unknown>>,
		signal?: AbortSignal,
	): Promise<Readonly<Record<string, unknown>>> {
		if (this.#isClosed) throw new Error("The editor is not connected.");
		const id = ++this.#lastId;
		const answered = Promise.withResolvers<Readonly<Record<string, unknown>>>();
		this.#pending.set(id, answered);
		using _late = signal
			? undefined
			: timer(limits.answerMs, () => answered.reject(new Error(`The editor does not answer ${method}.`)));
		try {
			this.#send({ id, method, params });
			return await (signal ? abortable(answered.promise, signal) : answered.promise);
		} finally {
			this.#pending.delete(id);
		}
	}

	[Symbol.dispose](): void {
		this.#end();
		this.#socket.close();
	}

	#send(message: Readonly<Record<string, unknown>>): void {
		this.#socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
	}

	#take(data: unknown): void {
		if (typeof data !== "string" || data.length > limits.messageBytes) {
			log.warn("a message of the editor is not text, or too long");
			this.#socket.close();
			return;
		}
		const message = parsedJson(data);
		if (!isRecord(message)) return log.warn("a message of the editor is not JSON");
		const { id, method, params, result, error } = message;
		if (typeof method === "string") return this.#takeCall(id, method, isRecord(params) ? params : {});
		const pending = this.#pending.get(Number(id));
		if (isRecord(error))
			pending?.reject(new Error(`The editor answered: ${String(error.message ?? "an error")}`));
		else pending?.resolve(isRecord(result) ? result : {});
	}

	#takeCall(id: unknown, method: string, params: Readonly<Record<string, unknown>>): void {
		if (id === undefined) return this.#events.onNotification(method, params);
		// An editor may ask whether anybody is there, and nothing else.
		if (method === "ping") this.#send({ id, result: {} });
		else this.#send({ id, error: { code: -32_601, message: `Tau has no method ${method}` } });
	}

	#lose(): void {
		if (this.#isClosed) return;
		this.#end();
		if (this.#isOpen) this.#events.onLost();
	}

	#end(): void {
		this.#isClosed = true;
		for (const { reject } of this.#pending.values())
			reject(new Error("The connection to the editor is lost."));
		this.#pending.clear();
	}
}

/** Undefined for what is not JSON. */
export function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
