/** One client's connection: bytes out in order and with back-pressure, and a signal when the client disconnects. */

/** The part of a socket that a connection needs. */
export interface Wire {
	/** Returns how many bytes were accepted; below 0 when the other side is gone. */
	write(bytes: Uint8Array): number;
	end(): void;
	terminate(): void;
}

export class Connection {
	readonly #wire: Wire;
	readonly #gone = new AbortController();
	#ended = false;
	#unsent: Uint8Array | undefined;
	#sent: (() => void) | undefined;

	constructor(wire: Wire) {
		this.#wire = wire;
	}

	/** Aborted when no more can be sent, whichever side ended it. */
	get gone(): AbortSignal {
		return this.#gone.signal;
	}

	get open(): boolean {
		return !this.#gone.signal.aborted;
	}

	/** True if the client disconnected, and not because of the script. */
	get hungUp(): boolean {
		return !this.open && !this.#ended;
	}

	/** Resolves when the bytes are on their way, or when the client is gone. One call at a time. */
	async send(bytes: Uint8Array): Promise<void> {
		if (!this.open) return;
		this.#unsent = bytes;
		this.drain();
		if (this.#unsent === undefined) return;
		await new Promise<void>((resolve) => {
			this.#sent = resolve;
		});
	}

	/** Called by the owner when the socket can accept more. */
	drain(): void {
		if (this.#unsent === undefined) return;
		const accepted = this.#wire.write(this.#unsent);
		if (accepted < 0) return this.lost();
		if (accepted < this.#unsent.length) this.#unsent = this.#unsent.subarray(accepted);
		else this.#settle();
	}

	/** Called by the owner when the socket is closed. */
	lost(): void {
		this.#gone.abort();
		this.#settle();
	}

	/** Ends the connection now; sent bytes still arrive, because a reset could drop them. */
	cut(): void {
		if (!this.open) return;
		this.#ended = true;
		this.lost();
		this.#wire.end();
	}

	/** Drops the connection with everything in flight. */
	drop(): void {
		this.lost();
		this.#wire.terminate();
	}

	/** Waits until the time is over or the client is gone; without a time only for the latter. */
	async pause(ms?: number): Promise<void> {
		if (!this.open) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const wake = () => resolve();
		const timer = ms === undefined ? undefined : setTimeout(wake, ms);
		this.gone.addEventListener("abort", wake);
		await promise;
		this.gone.removeEventListener("abort", wake);
		clearTimeout(timer);
	}

	#settle(): void {
		this.#unsent = undefined;
		const sent = this.#sent;
		this.#sent = undefined;
		sent?.();
	}
}
