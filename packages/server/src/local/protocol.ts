/** What the two ends of a local socket say before frames: who joins, what for, and whether it is let in. */
import { isRecord } from "@tau/utils";
import { readJoin, type JoinRequest } from "@tau/wire/remote";

/** What a peer comes for. `join` is a client of the session; the others ask one thing and leave. */
export const purposes = ["join", "status", "open", "work", "web", "end"] as const;
export type Purpose = (typeof purposes)[number];

/** For `join`, with who it is and what it has read last. */
export interface Hello extends Partial<JoinRequest> {
	readonly type: "hello";
	readonly version: number;
	readonly token: string;
	readonly purpose: Purpose;
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

/** The daemon's answer to `work`, whose line is that of `open`: the worker of the fleet that it runs, started if need be. */
export type WorkOutcome =
	{ readonly type: "working"; readonly pid: number } | { readonly type: "failed"; readonly reason: string };

/** What `tau web` wants of the daemon. The line after `hello` with `web`. */
export type WebRequest =
	| {
			readonly action: "start";
			readonly port: number;
			/** Whether another port may be taken where this one is in use. */
			readonly isFlexible: boolean;
			/** Addresses of a proxy in front of it. */
			readonly origins: readonly string[];
			/** The environment of sessions that the page opens. */
			readonly env: Readonly<Record<string, string>>;
			/** Where it was typed: the first project of the page. */
			readonly cwd?: string;
	  }
	| { readonly action: "stop" | "status" | "logout" };

/** The daemon's answer to it. */
export type WebOutcome =
	| {
			readonly type: "web";
			readonly isRunning: boolean;
			/** The next three are there while it runs. */
			readonly origin?: string;
			/** The pages that show a session now. */
			readonly pages?: number;
			/** The browsers that are let in. */
			readonly browsers?: number;
			/** After `start`: addresses that let a browser in, each of them once. */
			readonly links?: readonly string[];
	  }
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

/** Undefined if it is not a greeting; an unknown version is answered with the reason. */
export function readHello(line: Record<string, unknown>): Hello | undefined {
	const { type, version, token, purpose } = line;
	const known = purposes.find((each) => each === purpose);
	if (type !== "hello" || typeof version !== "number" || typeof token !== "string" || !known)
		return undefined;
	const hello = { type: "hello", version, token, purpose: known } as const;
	if (known !== "join") return hello;
	const join = readJoin(line);
	return join && { ...hello, ...join };
}

/** Undefined if it is invalid. */
export function readWebRequest(value: Record<string, unknown>): WebRequest | undefined {
	const { action, port, isFlexible, origins, env, cwd } = value;
	if (action === "stop" || action === "status" || action === "logout") return { action };
	if (action !== "start" || !Number.isInteger(port) || typeof isFlexible !== "boolean") return undefined;
	if (!Array.isArray(origins) || !origins.every((origin) => typeof origin === "string")) return undefined;
	if (!isRecord(env) || !Object.values(env).every((each) => typeof each === "string")) return undefined;
	const place = typeof cwd === "string" ? { cwd } : {};
	return { action, port: Number(port), isFlexible, origins, env: env as Record<string, string>, ...place };
}

/** Undefined if it is invalid. */
export function readOpenRequest(value: Record<string, unknown>): OpenRequest | undefined {
	const { argv, cwd, env, prompts } = value;
	if (!Array.isArray(argv) || typeof cwd !== "string" || !Array.isArray(prompts)) return undefined;
	if (!argv.every((word) => typeof word === "string") || !isRecord(env)) return undefined;
	if (!Object.values(env).every((each) => typeof each === "string")) return undefined;
	// They go to the session as they are, which is a process of the same program and user.
	return { argv, cwd, env: env as Record<string, string>, prompts: prompts as OpenPrompt[] };
}
