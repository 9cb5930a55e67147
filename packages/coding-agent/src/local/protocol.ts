/** What the two ends of a local socket say before frames: who joins, what for, and whether it is let in. */
import { isRecord } from "@tau/utils";
import type { ClientInfo, Cursor, RequestKind } from "@tau/wire";

/** Raised when a program of another version could not be understood. */
export const protocolVersion = 1;

/** What a peer comes for. `join` is a client of the session; the others ask one thing and leave. */
export const purposes = ["join", "status", "open", "end"] as const;
export type Purpose = (typeof purposes)[number];

export interface Hello {
	readonly type: "hello";
	readonly version: number;
	readonly token: string;
	readonly purpose: Purpose;
	/** For `join`: who it is, the same after a reconnect. */
	readonly client?: Pick<ClientInfo, "id" | "name"> & { kinds: readonly RequestKind[] };
	/** For `join`: what it has read last. */
	readonly from?: Cursor;
}

/** A session that is to run without a terminal: as if the user had started it there. The line after `hello` with `open`. */
export interface OpenRequest {
	readonly argv: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** What to send to the model, in order. */
	readonly prompts: readonly OpenPrompt[];
}

/** A prompt of the command line. */
export interface OpenPrompt {
	readonly text: string;
	readonly images?: readonly { type: "image"; data: string; mimeType: string }[];
	readonly userText?: string;
	readonly invocation?: string;
}

/** The daemon's answer to it. */
export type OpenOutcome =
	| { readonly type: "opened"; readonly session: OpenedSession }
	| { readonly type: "failed"; readonly reason: string };

/** What `tau ps` shows of a session. */
export interface SessionStatus {
	readonly sessionId: string;
	readonly title: string;
	readonly phase: string;
	/** Questions to the user that nobody has answered. */
	readonly waiting: number;
	/** Background commands and agents that run. */
	readonly working: number;
	/** US dollars */
	readonly cost: number;
	/** Attached clients, the terminal of the session itself included. */
	readonly clients: number;
}

/** Where a session can be joined. */
export interface OpenedSession {
	readonly sessionId: string;
	readonly socket: string;
	readonly token: string;
}

export interface Welcome {
	readonly type: "hello_ok";
	readonly version: number;
	/** The version of Tau at the other end. */
	readonly program: string;
	/** The answer to what the peer came for; for `join`, the client as the session knows it. */
	readonly data?: unknown;
}

export interface HelloRefused {
	readonly type: "hello_refused";
	readonly reason: string;
}

/** The last line of a session to its clients. */
export interface Bye {
	readonly type: "bye";
	/** The session continues in another process, where it can be joined in a moment. */
	readonly comesBack: boolean;
}

const kinds: ReadonlySet<unknown> = new Set<RequestKind>(["questions", "approval", "trust", "dialog"]);
const nameChars = 100;

/** Undefined for what is no greeting; a version that is not known is answered with the reason. */
export function readHello(line: Record<string, unknown>): Hello | undefined {
	const { type, version, token, purpose, client, from } = line;
	const known = purposes.find((each) => each === purpose);
	if (type !== "hello" || typeof version !== "number" || typeof token !== "string" || !known)
		return undefined;
	const hello = { type: "hello", version, token, purpose: known } as const;
	if (known !== "join") return hello;
	const who = readClient(client);
	const cursor = readCursor(from);
	return who && { ...hello, client: who, ...(cursor ? { from: cursor } : {}) };
}

function readClient(value: unknown): Hello["client"] | undefined {
	if (!isRecord(value) || typeof value.id !== "string" || typeof value.name !== "string") return undefined;
	if (!Array.isArray(value.kinds) || !value.kinds.every((each) => kinds.has(each))) return undefined;
	if (value.id.length === 0 || value.id.length > nameChars || value.name.length > nameChars) return undefined;
	return { id: value.id, name: value.name, kinds: value.kinds as RequestKind[] };
}

function readCursor(value: unknown): Cursor | undefined {
	if (!isRecord(value) || typeof value.epoch !== "string" || typeof value.seq !== "number") return undefined;
	return { epoch: value.epoch, seq: value.seq };
}

/** Undefined for what is none. */
export function readOpenRequest(value: Record<string, unknown>): OpenRequest | undefined {
	const { argv, cwd, env, prompts } = value;
	if (!Array.isArray(argv) || typeof cwd !== "string" || !Array.isArray(prompts)) return undefined;
	if (!argv.every((word) => typeof word === "string") || !isRecord(env)) return undefined;
	if (!Object.values(env).every((each) => typeof each === "string")) return undefined;
	// They go to the session as they are, which is a process of the same program and user.
	return { argv, cwd, env: env as Record<string, string>, prompts: prompts as OpenPrompt[] };
}

/** Undefined for what is no JSON object. */
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
