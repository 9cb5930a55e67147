/** The session that is open in this page, or why it is not. */
import { computed, effect, signal } from "@preact/signals";
import { GoneError, RefusedError, RemoteSession, webSocketTransport } from "@tau/wire/remote";

import { limits } from "../limits.ts";
import { keepCopies, openCopy } from "../offline/copies.ts";
import { accessKey } from "./api.ts";
import { OpenSession, type ShownClient } from "./open-session.ts";
import { early, uncover } from "./overlay.ts";
import { goTo, route } from "./route.ts";
import { refresh } from "./sessions.ts";

export type Current =
	| { readonly kind: "none" }
	| { readonly kind: "opening"; readonly id: string }
	| { readonly kind: "failed"; readonly id: string; readonly reason: string }
	| { readonly kind: "open"; readonly session: OpenSession };

export const current = signal<Current>({ kind: "none" });

/** Follows the route: leaves a session and joins the next. */
export function followRoute(): Disposable {
	let joining: AbortController | undefined;
	const stop = effect(() => {
		const target = route.value;
		const now = current.peek();
		if (target.name === "session" && now.kind === "open" && now.session.id === target.id) return;
		joining?.abort();
		if (now.kind === "open") now.session[Symbol.dispose]();
		if (target.name !== "session") {
			current.value = { kind: "none" };
			return;
		}
		joining = new AbortController();
		void join(target.id, joining.signal);
	});
	const waking = wakeWithPage();
	return {
		[Symbol.dispose]() {
			stop();
			waking[Symbol.dispose]();
		},
	};
}

/**
 * A page that is back on the screen, or in the network, does not wait for its next attempt to connect. One that the user
 * has left is kept by the browser with its connection open: the session would take it for somebody who is there.
 */
export function wakeWithPage(): Disposable {
	const listening = new AbortController();
	const until = { signal: listening.signal };
	const clientNow = (): ShownClient | undefined => {
		const now = current.peek();
		return now.kind === "open" ? now.session.client : undefined;
	};
	const wake = (): void => {
		if (!document.hidden) clientNow()?.wake?.();
	};
	document.addEventListener("visibilitychange", wake, until);
	addEventListener("online", wake, until);
	addEventListener("pageshow", wake, until);
	addEventListener("pagehide", () => clientNow()?.sleep?.(), until);
	return { [Symbol.dispose]: () => listening.abort() };
}

export async function join(id: string, left?: AbortSignal): Promise<void> {
	current.value = { kind: "opening", id };
	uncover();
	try {
		current.value = { kind: "open", session: await joined(id, left) };
	} catch (error) {
		if (left?.aborted) return;
		// What is only read, or not there, is sent nothing; the text stays its draft.
		early.value = undefined;
		// Whoever was refused sees no copy either.
		const copy = isFinal(error) ? undefined : await openCopy(id);
		if (left?.aborted) return copy?.[Symbol.dispose]();
		if (copy) return showCopy(copy, left);
		fail(id, error);
	}
}

function isFinal(error: unknown): boolean {
	return error instanceof RefusedError || error instanceof GoneError;
}

function fail(id: string, error: unknown): void {
	current.value = { kind: "failed", id, reason: error instanceof Error ? error.message : String(error) };
}

/** The list of sessions says of it what it says itself, at once; its first prompt is its title. */
function keepListed(session: OpenSession): Disposable {
	const shown = computed(() => {
		const { phase, session: info } = session.facts.value;
		const isStarted = session.items.value.length > 0;
		return JSON.stringify([phase, info.name, session.requests.value.length, isStarted]);
	});
	let last = shown.peek();
	const stop = effect(() => {
		if (shown.value === last) return;
		last = shown.value;
		void refresh();
	});
	return { [Symbol.dispose]: stop };
}

async function joined(id: string, left: AbortSignal | undefined): Promise<OpenSession> {
	const client = await RemoteSession.join({
		transport: webSocketTransport((last) => addressOf(last ?? id), { key: accessKey() }),
		name: "browser",
		kinds: ["questions", "approval", "trust", "terminal", "dialog"],
		// A phone may sleep for a day: the page tries until it is closed.
		lostMs: Number.POSITIVE_INFINITY,
		signal: left,
	});
	const session = new OpenSession(id, client);
	session.owns(keepCopies(session));
	session.owns(keepListed(session));
	client.subscribe((event) => {
		if (event.type === "session_moved" && event.sessionId !== id) moved(session, event.sessionId);
	});
	return session;
}

/** Until the session itself can be reached. */
function showCopy(copy: OpenSession, left: AbortSignal | undefined): void {
	let isTrying = false;
	const attempt = async (): Promise<void> => {
		if (document.hidden || left?.aborted || isTrying) return;
		isTrying = true;
		try {
			const session = await joined(copy.id, left);
			copy[Symbol.dispose]();
			current.value = { kind: "open", session };
		} catch (error) {
			// Anything else may be over at the next attempt.
			if (!left?.aborted && isFinal(error)) {
				copy[Symbol.dispose]();
				fail(copy.id, error);
			}
		} finally {
			isTrying = false;
		}
	};
	const retry = (): void => void attempt();
	const timer = setInterval(retry, limits.copyRetryMs);
	addEventListener("online", retry);
	copy.owns({
		[Symbol.dispose]() {
			clearInterval(timer);
			removeEventListener("online", retry);
		},
	});
	current.value = { kind: "open", session: copy };
}

/** The same connection shows another session now: only the address follows. */
function moved(session: OpenSession, id: string): void {
	const target = route.peek();
	if (target.name !== "session" || target.id !== session.id) return;
	session.id = id;
	goTo({ name: "session", id });
}

function addressOf(sessionId: string): URL {
	const url = new URL(`/ws?${new URLSearchParams({ session: sessionId })}`, location.href);
	url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
	url.hash = "";
	return url;
}
