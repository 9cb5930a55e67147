/** The messages of JSON-RPC as the hub passes them on, without a look at what they carry. */
import { isRecord } from "@tau/utils";

export type MessageId = number | string;

export interface RpcMessage {
	readonly jsonrpc: "2.0";
	readonly id?: MessageId;
	readonly method?: string;
	readonly params?: unknown;
	readonly result?: unknown;
	readonly error?: unknown;
}

export function messageOf(value: unknown): RpcMessage | undefined {
	if (!isRecord(value)) return undefined;
	const { id, method } = value;
	const hasId = typeof id === "number" || typeof id === "string";
	if (typeof method !== "string" && !hasId) return undefined;
	return { ...value, jsonrpc: "2.0" };
}

export function notification(method: string, params: unknown): RpcMessage {
	return { jsonrpc: "2.0", method, params };
}

/** The document that a message is about. */
export function documentOf(params: unknown): Record<string, unknown> & { uri?: string } {
	const document = isRecord(params) ? params.textDocument : undefined;
	return isRecord(document) && typeof document.uri === "string" ? document : {};
}

/** Messages between two Tau that no server sees. */
export const own = {
	/** The first message of the one that hosts the server, with the server's process. */
	hello: "$/tau/hello",
	ping: "$/tau/ping",
	pong: "$/tau/pong",
	/** Another one has changed documents: earlier answers may be out of date. */
	changed: "$/tau/changed",
} as const;
