/** One client's connection: bytes out in order and with back pressure, and a signal when the client hangs up. */

/** What a connection needs of a socket. */
export interface Wire {
	/** Says how many bytes were taken; below 0 when the other side is gone. */
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

	/** Aborted when no more can be sent, whoever ended it. */
	get gone(): AbortSignal {
		return this.#gone.signal;
	}

	get open(): boolean {
		return !this.#gone.signal.aborted;
	}

	/** Gone, and not because the script wanted it. */
	get hungUp(): boolean {
		return !this.open && !this.#ended;
	}

	/** Resolves when the bytes are on their way, or when nobody is there to take them. One at a time. */
	async send(bytes: Uint8Array): Promise<void> {
		if (!this.open) return;
		this.#unsent = bytes;
		this.drain();
		if (this.#unsent === undefined) return;
		await new Promise<void>((resolve) => {
			this.#sent = resolve;
		});
	}

	/** The owner calls it when the socket can take more. */
	drain(): void {
		if (this.#unsent === undefined) return;
		const taken = this.#wire.write(this.#unsent);
		if (taken < 0) return this.lost();
		if (taken < this.#unsent.length) this.#unsent = this.#unsent.subarray(taken);
		else this.#settle();
	}

	/** The owner calls it when the socket is closed. */
	lost(): void {
		this.#gone.abort();
		this.#settle();
	}

	/** Ends the connection here and now; what was sent still arrives, because a reset could swallow it. */
	cut(): void {
		if (!this.open) return;
		this.#ended = true;
		this.lost();
		this.#wire.end();
	}

	/** Drops the connection with whatever is under way. */
	drop(): void {
		this.lost();
		this.#wire.terminate();
	}

	/** Waits, but not for a client that is gone; without a time only for that. */
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
