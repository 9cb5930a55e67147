/** A network that changes without a word, as when a VPN is turned on: connections are dead, and nobody closes them. */
import { expect, test } from "bun:test";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

import { startRelay } from "@tau/relay";
import { webSocketRelays } from "@tau/wire/room";

import { FramesGuest, FramesRoom, until } from "./frames-room.ts";

/** The way to a server. After a change nothing of the connections before it arrives, not even their end. */
class Network implements AsyncDisposable {
	readonly #server = createServer((client) => this.#join(client));
	#target: number;
	readonly #sockets = new Set<Socket>();
	#age = 0;

	private constructor(target: number) {
		this.#target = target;
	}

	static async to(url: string): Promise<Network> {
		const network = new Network(Number(new URL(url).port));
		await new Promise<void>((resolve) => {
			network.#server.listen(0, "127.0.0.1", resolve);
		});
		return network;
	}

	get address(): string {
		return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	change(): void {
		this.#age++;
	}

	/** New connections go there, as behind a balancer. */
	leadTo(url: string): void {
		this.#target = Number(new URL(url).port);
	}

	#join(client: Socket): void {
		const age = this.#age;
		const server = connect(this.#target, "127.0.0.1");
		for (const [from, to] of [
			[client, server],
			[server, client],
		] as const) {
			this.#sockets.add(from);
			from.on("data", (bytes) => {
				if (age === this.#age) to.write(bytes);
			});
			from.on("close", () => {
				if (age === this.#age) to.destroy();
			});
			// Its close follows.
			from.on("error", () => {});
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
	}
}

test("a host and a guest whose network has changed notice it, are back, and nothing is missing or doubled", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	await using network = await Network.to(relay.url);
	const quick = webSocketRelays({ pingMs: 200, silenceMs: 1500 });
	await using room = await FramesRoom.open(network.address, { connect: quick });
	using guest = new FramesGuest(room, quick);
	void guest.stay();
	await until(() => guest.frames.length === 1, "the snapshot");
	room.say("event", "before");
	await until(() => guest.frames.length === 2, "what was said before");

	const known = room.states.length;
	network.change();
	room.say("event", "into the void");
	await until(() => guest.frames.length === 3, "what was said while nobody had noticed");
	room.say("event", "after");
	await until(() => guest.frames.length === 4, "what was said after it");
	expect(guest.frames).toEqual(room.frames);
	expect(room.states.slice(known)).toContain("reconnecting: The relay does not answer any more.");
	expect(guest.ends).not.toEqual([]);
});

test("regression: a host that a node sends elsewhere says why, connects once, and takes its guests along", async () => {
	await using first = await startRelay({ bind: "127.0.0.1:0", drainMs: 0 });
	await using second = await startRelay({ bind: "127.0.0.1:0" });
	await using network = await Network.to(first.url);
	await using room = await FramesRoom.open(network.address);
	using guest = new FramesGuest(room);
	void guest.stay();
	await until(() => guest.frames.length === 1, "the snapshot");
	network.leadTo(second.url);
	await first.drain();
	await until(() => room.states.at(-1) === "connected", "the host");
	room.say("event", "elsewhere");
	await until(() => guest.frames.length === 2, "what was said elsewhere");
	expect(guest.frames).toEqual(room.frames);
	expect(room.states.filter((state) => state !== "connected")).toEqual([
		"reconnecting: The relay asked us to connect again.",
	]);
});
