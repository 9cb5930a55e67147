/** Asks over one websocket that the requests of a conversation share, as long as that works. */
import { delay, envNumber, log } from "@tau/utils";

import { limits } from "./limits.ts";
import type { HttpRequest, Take } from "./transport/index.ts";
import { WebSocketLine } from "./transport/websocket.ts";
import type { Failure, FailureKind } from "./types.ts";
import type { SocketEncoder } from "./wire/codec.ts";

export interface SocketRequest extends Omit<HttpRequest, "body"> {
	/** Requests with another one get a websocket of their own. */
	key: string;
	/** For a new websocket. */
	encoder(): SocketEncoder;
	/** The request as a message. */
	write(encode: SocketEncoder): Promise<string>;
	/** Reads the answer that `send` delivers. */
	read(send: (take: Take) => Promise<Failure | undefined>): Promise<SocketAnswer>;
}

export interface SocketAnswer {
	failed?: Failure | undefined;
	/** There is something of an answer, which cannot be taken back. */
	hasContent: boolean;
	/** The server wants the whole conversation, on another websocket. */
	isRestart: boolean;
}

/** What HTTP may do better: the server said nothing about the conversation or the account. */
const worthHttp: ReadonlySet<FailureKind> = new Set(["network", "invalid_request", "unknown"]);

/** The status of a handshake that was accepted, for those who watch responses. */
const switchedProtocols = 101;

const retries = { budget: 5, delayMs: 500 };

interface OpenLine {
	line: WebSocketLine;
	key: string;
	encode: SocketEncoder;
}

export class ConversationSocket implements Disposable {
	#line: OpenLine | undefined;
	#idle: Timer | undefined;
	/** The websocket did not work once: the conversation continues over HTTP. */
	#isGivenUp = false;
	#isAsking = false;
	#isDisposed = false;
	/** By the clock on the wall, which does not stop while the machine sleeps. */
	#usedAt = 0;

	/** `unavailable` if nothing was answered and HTTP has to be used. */
	async ask(request: SocketRequest): Promise<Failure | "unavailable" | undefined> {
		clearTimeout(this.#idle);
		// A request that was aborted may still be ending; its successor does not wait for that.
		if (this.#isGivenUp || this.#isAsking) return "unavailable";
		this.#isAsking = true;
		const outcome = await this.#askUntilAnswered(withOwnTimeout(request)).finally(() => {
			this.#isAsking = false;
			this.#usedAt = Date.now();
		});
		if (outcome === "unavailable" && !request.signal.aborted) {
			this.#isGivenUp = true;
			log.debug("no answer over a websocket; the conversation continues over HTTP", { url: request.url });
		}
		if (this.#line) {
			this.#idle = setTimeout(() => this.#hangUp(), limits.socketIdleMs);
			this.#idle.unref();
		}
		return outcome;
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		clearTimeout(this.#idle);
		this.#hangUp();
	}

	async #askUntilAnswered(request: SocketRequest): Promise<Failure | "unavailable" | undefined> {
		const { signal } = request;
		const budget = envNumber("TAU_CODEX_WEBSOCKET_RETRY_BUDGET") ?? retries.budget;
		const delayMs = envNumber("TAU_CODEX_WEBSOCKET_RETRY_DELAY_MS") ?? retries.delayMs;
		let restarts = 0;
		let losses = 0;
		for (;;) {
			const wasOpen = await this.#isUsable(request.key);
			const open = wasOpen ? this.#line : await this.#open(request);
			if (!open) return "unavailable";
			const text = await request.write(open.encode);
			request.onHead?.(switchedProtocols, new Headers());
			const { failed, hasContent, isRestart } = await request.read((take) =>
				open.line.ask(text, request, take),
			);
			if (failed || signal.aborted) this.#hangUp();
			if (!failed || signal.aborted) return undefined;
			if (hasContent) return failed;
			// The server may close a websocket between two requests; that is not a failure of the second one.
			if ((isRestart || (wasOpen && failed.kind === "network")) && restarts++ < 2) continue;
			if (failed.kind === "timeout") this.#isGivenUp = true;
			if (failed.kind !== "network" || losses++ >= budget) {
				return worthHttp.has(failed.kind) ? "unavailable" : failed;
			}
			await delay(delayMs * 2 ** (losses - 1), signal).catch(() => {});
			if (signal.aborted) return undefined;
		}
	}

	async #isUsable(key: string): Promise<boolean> {
		if (!this.#line) return false;
		const { line, key: of } = this.#line;
		if (!line.isOpen || of !== key || Date.now() - line.openedAt >= limits.socketAgeMs) return false;
		return Date.now() - this.#usedAt < limits.socketRestMs || (await line.responds());
	}

	async #open(request: SocketRequest): Promise<OpenLine | undefined> {
		this.#hangUp();
		const line = await WebSocketLine.open(request);
		if (line && this.#isDisposed) line[Symbol.dispose]();
		else if (line) this.#line = { line, key: request.key, encode: request.encoder() };
		return this.#line;
	}

	#hangUp(): void {
		this.#line?.line[Symbol.dispose]();
		this.#line = undefined;
	}
}

function withOwnTimeout(request: SocketRequest): SocketRequest {
	const ms = envNumber("TAU_CODEX_WEBSOCKET_IDLE_TIMEOUT_MS");
	if (ms === undefined || ms <= 0) return request;
	return { ...request, silence: { firstEventMs: ms, idleMs: ms } };
}
