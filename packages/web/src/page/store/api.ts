/** The routes of the server that are about sessions which need not be open. */
import type { Attachment } from "@tau/agent";

import { read, write } from "./preferences.ts";

export interface SessionSummary {
	readonly id: string;
	readonly title: string;
	readonly cwd: string;
	readonly firstMessage?: string;
	/** Milliseconds since 1970. */
	readonly modifiedAt: number;
	readonly messages?: number;
	/** US dollars. */
	readonly cost?: number;
	/** Only while it is open in a process. */
	readonly phase?: string;
	/** Questions to the user that nobody has answered. */
	readonly waiting: number;
	readonly isOpen: boolean;
	readonly isArchived?: boolean;
	readonly isPinned?: boolean;
}

export interface SessionList {
	readonly sessions: readonly SessionSummary[];
	readonly projects: readonly { readonly cwd: string; readonly sessions: number }[];
}

/** A file that goes with a prompt; a document is on the host, which keeps its bytes. */
export interface PromptFile extends Readonly<Attachment> {
	/** Where the host has it; undefined for a picture that the page itself has made smaller. */
	readonly path?: string;
	/** Why there is no text. */
	readonly problem?: string;
	/** How a prompt includes a document: its path and its text. Empty for an image. */
	readonly block: string;
}

/** The server does not know this browser (any more). */
export class SignedOutError extends Error {}

const keyName = "tau.key";

/**
 * What the server gave this browser when it was let in. A cookie alone would not do: those of 127.0.0.1 go to every
 * port of the machine, and to whatever the model starts there.
 */
export function accessKey(): string {
	return read(keyName, "");
}

export function accessHeaders(): Record<string, string> {
	return { "x-tau-key": accessKey() };
}

export async function call<T>(
	method: string,
	path: string,
	body?: unknown,
	signal?: AbortSignal,
): Promise<T> {
	const headers = {
		...accessHeaders(),
		...(body === undefined ? {} : { "content-type": "application/json" }),
	};
	const request = { method, credentials: "same-origin", headers, signal: signal ?? null } as const;
	const response = await fetch(
		path,
		body === undefined ? request : { ...request, body: JSON.stringify(body) },
	);
	if (response.status === 401 || response.status === 403) throw new SignedOutError(await reasonOf(response));
	if (!response.ok) throw new Error(await reasonOf(response));
	if (response.status === 204) return undefined as T;
	// The server is the same program as this page.
	return (await response.json()) as T;
}

async function reasonOf(response: Response): Promise<string> {
	const text = await response.text().catch(() => "");
	try {
		const { error } = JSON.parse(text) as { error?: unknown };
		if (typeof error === "string") return error;
	} catch {
		// It is no JSON: then the text is the reason.
	}
	return text.length > 0 && text.length < 300 ? text : `The server answered with ${response.status}.`;
}

const at = (id: string): string => `/api/sessions/${encodeURIComponent(id)}`;

export const api = {
	async login(token: string): Promise<void> {
		const { key } = await call<{ key: string }>("POST", "/api/login", { token });
		write(keyName, key);
	},
	async logout(): Promise<void> {
		await call<void>("POST", "/api/logout");
		write(keyName, undefined);
	},
	sessions: (
		{ search, project, isArchived }: { search: string; project: string | undefined; isArchived: boolean },
		signal?: AbortSignal,
	) => {
		const query = new URLSearchParams({
			search,
			...(project === undefined ? {} : { project }),
			...(isArchived ? { archived: "1" } : {}),
		});
		return call<SessionList>("GET", `/api/sessions?${query}`, undefined, signal);
	},
	create: (cwd: string, prompt?: string) =>
		call<{ id: string }>("POST", "/api/sessions", { cwd, ...(prompt ? { prompt } : {}) }),
	change: (id: string, change: { name?: string; archived?: boolean; pinned?: boolean }) =>
		call<void>("PATCH", at(id), change),
	fork: (id: string) => call<{ id: string }>("POST", `${at(id)}/fork`),
	remove: (id: string) => call<void>("DELETE", at(id)),
	close: (id: string) => call<void>("POST", `${at(id)}/close`),
};
