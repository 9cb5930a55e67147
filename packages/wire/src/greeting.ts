/** What the two ends of a connection say around frames: who joins, whether it is let in, and that the session leaves. */
import { isRecord } from "@tau/utils/portable";

import type { Cursor } from "./frames.ts";
import type { RequestKind } from "./requests.ts";
import type { ClientInfo } from "./session-shapes.ts";

/** Raised when a program of another version could not be understood. */
export const protocolVersion = 1;

/** Who wants to join, and from where. */
export interface JoinRequest {
	/** The same after a reconnect. */
	readonly client: Pick<ClientInfo, "id" | "name"> & { readonly kinds: readonly RequestKind[] };
	/** What it has read last. */
	readonly from?: Cursor;
}

/** The last line of a session to its clients. */
export interface Bye {
	readonly type: "bye";
	/** The session continues in another process, where it can be joined in a moment. */
	readonly comesBack: boolean;
}

/** The last line of a client that leaves and does not come back. */
export interface Left {
	readonly type: "bye";
}

const kinds: ReadonlySet<unknown> = new Set<RequestKind>([
	"questions",
	"approval",
	"trust",
	"terminal",
	"dialog",
]);
const nameChars = 100;

/** Undefined for what names no client. */
export function readJoin({ client, from }: Record<string, unknown>): JoinRequest | undefined {
	const who = readClient(client);
	const cursor = readCursor(from);
	return who && { client: who, ...(cursor ? { from: cursor } : {}) };
}

function readClient(value: unknown): JoinRequest["client"] | undefined {
	if (!isRecord(value) || typeof value.id !== "string" || typeof value.name !== "string") return undefined;
	if (!Array.isArray(value.kinds) || !value.kinds.every((each) => kinds.has(each))) return undefined;
	if (value.id.length === 0 || value.id.length > nameChars || value.name.length > nameChars) return undefined;
	return { id: value.id, name: value.name, kinds: value.kinds as RequestKind[] };
}

function readCursor(value: unknown): Cursor | undefined {
	if (!isRecord(value) || typeof value.epoch !== "string" || typeof value.seq !== "number") return undefined;
	return { epoch: value.epoch, seq: value.seq };
}

/** Undefined unless it is a JSON object. */
export function readObject(line: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Undefined for any other line: frames come by the thousand, and are not parsed for this. */
export function readBye(line: string): Bye | undefined {
	if (!line.startsWith('{"type":"bye"')) return undefined;
	return { type: "bye", comesBack: readObject(line)?.comesBack === true };
}
