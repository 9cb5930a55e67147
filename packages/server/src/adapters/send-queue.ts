/** Messages to one client in order: pieces that belong together are merged, and a client that does not read is waited for. */
import { log, timer } from "@tau/utils";

/** Pieces are sent together for as long as a frame of a screen takes. */
const mergeMs = 16;

export class SendQueue<M> {
	readonly #send: (message: M) => Promise<void>;
	readonly #merge: (open: M, next: M) => M | undefined;
	/** The piece that the next ones are added to. */
	#open: M | undefined;
	#timer: Disposable | undefined;
	#unwritten: Promise<void> | undefined;

	/** `merge` says what both are together; undefined where they stay apart. */
	constructor(send: (message: M) => Promise<void>, merge: (open: M, next: M) => M | undefined) {
		this.#send = send;
		this.#merge = merge;
	}

	/** Resolves when it was written. */
	async push(message: M): Promise<void> {
		void this.flush();
		await this.#write(message);
	}

	/** A piece that others may be added to. */
	add(piece: M): void {
		const merged = this.#open && this.#merge(this.#open, piece);
		if (merged) {
			this.#open = merged;
			return;
		}
		void this.flush();
		this.#open = piece;
		this.#timer = timer(mergeMs, () => void this.flush());
	}

	/** Everything that was pushed is on its way before anything that is sent now. Resolves when it was written. */
	flush(): Promise<void> {
		this.#timer?.[Symbol.dispose]();
		const open = this.#open;
		this.#open = undefined;
		return open ? this.#write(open) : (this.#unwritten ?? Promise.resolve());
	}

	/** A promise while the client leaves messages unread: a run waits for it. */
	pressure(): Promise<void> | undefined {
		return this.#unwritten;
	}

	#write(message: M): Promise<void> {
		const written = this.#send(message).catch((error: unknown) => {
			// The client is gone: the connection ends by itself.
			log.info("a message was not sent", { reason: String(error) });
		});
		this.#unwritten = written;
		void written.then(() => {
			if (this.#unwritten === written) this.#unwritten = undefined;
		});
		return written;
	}
}
