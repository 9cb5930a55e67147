/** Rooms of omp's dialect: a prefix of four bytes, numbers from 1, and a room that ends with its host. */
import { afterAll, beforeAll, expect, test } from "bun:test";

import { startRelay, type Relay } from "./server.ts";

let relay: Relay;
beforeAll(async () => {
	relay = await startRelay({ bind: "127.0.0.1:0" });
});
afterAll(async () => await relay[Symbol.asyncDispose]());

/** A client that knows nothing but WebSockets. */
class OmpEnd implements Disposable {
	readonly #socket: WebSocket;
	readonly received: (string | number[])[] = [];
	close?: { code: number; reason: string };

	constructor(room: string, role: "host" | "guest") {
		this.#socket = new WebSocket(`${relay.url.replace("http", "ws")}/r/${room}?role=${role}`);
		this.#socket.binaryType = "arraybuffer";
		this.#socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
			this.received.push(typeof data === "string" ? data : [...new Uint8Array(data)]);
		});
		this.#socket.addEventListener("close", ({ code, reason }) => {
			this.close = { code, reason };
		});
	}

	async opened(): Promise<this> {
		await this.until(() => this.#socket.readyState !== WebSocket.CONNECTING);
		return this;
	}

	send(...bytes: number[]): void {
		this.#socket.send(new Uint8Array(bytes));
	}

	async until(isTrue: () => boolean): Promise<void> {
		const deadline = Date.now() + 60_000;
		while (!isTrue()) {
			if (Date.now() > deadline)
				throw new Error(`did not happen: ${JSON.stringify([this.received, this.close])}`);
			await Bun.sleep(5);
		}
	}

	[Symbol.dispose](): void {
		this.#socket.close();
	}
}

test("an omp host and its guests talk with numbers, to one and to all", async () => {
	using host = await new OmpEnd("omp-room-one", "host").opened();
	using ann = await new OmpEnd("omp-room-one", "guest").opened();
	await host.until(() => host.received.length === 1);
	using bob = await new OmpEnd("omp-room-one", "guest").opened();
	await host.until(() => host.received.length === 2);
	expect(host.received).toEqual(['{"t":"peer-joined","peer":1}', '{"t":"peer-joined","peer":2}']);
	host.send(0, 0, 0, 0, 7);
	host.send(0, 0, 0, 2, 8);
	host.send(0, 0, 0, 99, 9);
	// The relay writes the number of the sender, whatever the guest says.
	ann.send(0, 0, 0, 2, 10);
	await bob.until(() => bob.received.length === 2);
	await ann.until(() => ann.received.length === 1);
	await host.until(() => host.received.length === 3);
	expect(ann.received).toEqual([[0, 0, 0, 0, 7]]);
	expect(bob.received).toEqual([
		[0, 0, 0, 0, 7],
		[0, 0, 0, 0, 8],
	]);
	expect(host.received[2]).toEqual([0, 0, 0, 1, 10]);
	bob[Symbol.dispose]();
	await host.until(() => host.received.length === 4);
	expect(host.received[3]).toBe('{"t":"peer-left","peer":2}');
});

test("an omp room has one host, exists with it, and ends with it", async () => {
	using early = await new OmpEnd("omp-room-two", "guest").opened();
	await early.until(() => early.close !== undefined);
	expect(early.close).toEqual({ code: 4004, reason: "no such room" });
	using host = await new OmpEnd("omp-room-two", "host").opened();
	using second = await new OmpEnd("omp-room-two", "host").opened();
	await second.until(() => second.close !== undefined);
	expect(second.close).toEqual({ code: 4009, reason: "a host is already connected for this room" });
	using guest = await new OmpEnd("omp-room-two", "guest").opened();
	await host.until(() => host.received.length === 1);
	host[Symbol.dispose]();
	await guest.until(() => guest.close !== undefined);
	expect(guest.received).toEqual(['{"t":"room-closed"}']);
	expect(guest.close).toEqual({ code: 4001, reason: "room closed" });
	using again = await new OmpEnd("omp-room-two", "host").opened();
	using back = await new OmpEnd("omp-room-two", "guest").opened();
	await again.until(() => again.received.length === 1);
	expect(back.close).toBeUndefined();
});

test("an omp room holds 64 guests", async () => {
	using host = await new OmpEnd("omp-room-full", "host").opened();
	using owned = new DisposableStack();
	for (let at = 0; at < 64; at++) await owned.use(new OmpEnd("omp-room-full", "guest")).opened();
	await host.until(() => host.received.length === 64);
	using late = await new OmpEnd("omp-room-full", "guest").opened();
	await late.until(() => late.close !== undefined);
	expect(late.close).toEqual({ code: 4029, reason: "room is full" });
});
