/** A client elsewhere for tests: a replica that is fed with the lines of the host, read as slowly as the test wants. */
import { FrameReader, Replica, type ClientInfo, type Cursor, type FrameOf } from "@tau/wire";

import type { Attached, Client, SessionHost } from "@tau/session/host";

export class FarClient implements Disposable {
	readonly replica = new Replica();
	readonly responses: FrameOf<"response">["body"][] = [];
	readonly #host: SessionHost;
	readonly #client: Partial<Client>;
	#attached: Attached | undefined;
	#reader = new FrameReader();
	#unread: string[] = [];
	#free: PromiseWithResolvers<void> | undefined;
	/** It reads nothing while this is true. */
	isStuck = false;
	snapshots = 0;
	bytes = 0;

	constructor(host: SessionHost, client: Partial<Client> = {}) {
		this.#host = host;
		this.#client = client;
		this.replica.onReset(() => this.snapshots++);
		this.replica.onResponse((response) => void this.responses.push(response));
		this.join();
	}

	get info(): ClientInfo {
		if (!this.#attached) throw new Error("The client is not attached.");
		return this.#attached.info;
	}

	get attached(): Attached {
		if (!this.#attached) throw new Error("The client is not attached.");
		return this.#attached;
	}

	/** Attaches, again from where it was. */
	join(from: Cursor | undefined = this.replica.cursor): void {
		this.leave();
		this.#attached = this.#host.attach(
			{ name: "far", onLines: (lines) => this.#receive(lines), ...this.#client },
			from,
		);
	}

	/** The connection breaks: what was on its way is lost. */
	leave(): void {
		this.#attached?.[Symbol.dispose]();
		this.#attached = undefined;
		this.#unread = [];
		this.#reader = new FrameReader();
		this.#free?.resolve();
		this.#free = undefined;
	}

	/** Reads what has come, and continues to read. */
	read(): void {
		this.isStuck = false;
		for (const line of this.#unread.splice(0)) this.#take(line);
		this.#free?.resolve();
		this.#free = undefined;
	}

	[Symbol.dispose](): void {
		this.leave();
	}

	#receive(lines: readonly string[]): void | Promise<void> {
		for (const line of lines) this.bytes += line.length;
		if (!this.isStuck) {
			for (const line of lines) this.#take(line);
			return;
		}
		this.#unread.push(...lines);
		this.#free ??= Promise.withResolvers();
		return this.#free.promise;
	}

	#take(line: string): void {
		const frame = this.#reader.read(line);
		if (frame && !this.replica.take(frame)) throw new Error(`Frame ${frame.seq} does not fit.`);
	}
}
