/** The requests that a played model received, and waiting for future ones. */

import type { Api } from "../types.ts";
import type { HttpRequest } from "./http-request.ts";
import { limits } from "./limits.ts";

export interface ReceivedRequest {
	/** From 1, in the order of arrival. */
	number: number;
	method: string;
	path: string;
	query: string;
	headers: Record<string, string>;
	/** The body as JSON; `undefined` when it is not JSON. */
	body: unknown;
	rawBody: string;
	/** The protocol of the answer, for model calls. */
	protocol?: Api;
	/** The number of the websocket that it came on, from 1; absent for an HTTP request. */
	socket?: number;
	/** Milliseconds since the epoch, monotonic and with fractions. */
	arrivedAt: number;
	/** When the answer was sent, or the client had disconnected. */
	closedAt?: number;
	/** True if the client disconnected before it had the whole answer, or the server was closed. */
	aborted: boolean;
}

export interface WaitOptions {
	timeoutMs?: number;
	signal?: AbortSignal;
}

/** Keeps the calls in order and wakes the callers that wait for one of them to arrive or to end. */
export class Inbox {
	readonly requests: ReceivedRequest[] = [];
	readonly #waiters = new Set<() => void>();

	add(request: HttpRequest, body: unknown, protocol?: Api): ReceivedRequest {
		const { method, path, query, headers, rawBody, socket } = request;
		const number = this.requests.length + 1;
		const received: ReceivedRequest = {
			number,
			method,
			path,
			query,
			headers,
			body,
			rawBody,
			...(protocol === undefined ? {} : { protocol }),
			...(socket === undefined ? {} : { socket: socket.number }),
			arrivedAt: now(),
			aborted: false,
		};
		this.requests.push(received);
		this.#wake();
		return received;
	}

	close(received: ReceivedRequest, aborted: boolean): void {
		received.closedAt = now();
		received.aborted = aborted;
		this.#wake();
	}

	arrival(number: number, options?: WaitOptions): Promise<ReceivedRequest> {
		return this.#until(`request ${number} did not come`, options, () => this.requests[number - 1]);
	}

	ending(number: number, options?: WaitOptions): Promise<ReceivedRequest> {
		return this.#until(`request ${number} did not end`, options, () => {
			const request = this.requests[number - 1];
			return request?.closedAt === undefined ? undefined : request;
		});
	}

	async #until(
		failure: string,
		{ timeoutMs = limits.waitMs, signal }: WaitOptions = {},
		look: () => ReceivedRequest | undefined,
	): Promise<ReceivedRequest> {
		signal?.throwIfAborted();
		const value = look();
		if (value !== undefined) return value;
		const { promise, resolve, reject } = Promise.withResolvers<ReceivedRequest>();
		const wake = () => {
			const request = look();
			if (request !== undefined) resolve(request);
		};
		const abort = () => reject(signal?.reason);
		const timer = setTimeout(() => {
			reject(new Error(`${failure} within ${timeoutMs} ms; ${this.requests.length} came`));
		}, timeoutMs);
		this.#waiters.add(wake);
		signal?.addEventListener("abort", abort);
		try {
			return await promise;
		} finally {
			clearTimeout(timer);
			this.#waiters.delete(wake);
			signal?.removeEventListener("abort", abort);
		}
	}

	#wake(): void {
		for (const wake of this.#waiters) wake();
	}
}

function now(): number {
	return performance.timeOrigin + performance.now();
}
