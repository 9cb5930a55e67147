/** A guest's way to the session of an omp host: its room on a relay, as a `Transport` like any other. */
import { RefusedError, type Connection, type ConnectionEvents, type Transport } from "../transport.ts";
import type { RoomLink } from "../room/link.ts";
import { closeCodes, ompRelay, type ConnectRelay, type RelayConnection } from "../room/relay-socket.ts";
import { ompProtocol } from "./frames.ts";
import { GuestCommands } from "./guest-commands.ts";
import { ompLimits as limits } from "./limits.ts";
import { OmpMirror } from "./mirror.ts";
import { OmpSealer, writeTokenOf } from "./seal.ts";

export interface OmpGuestOptions {
	readonly link: RoomLink;
	/** How the relay is reached; a WebSocket, unless a test says otherwise. */
	connect?: ConnectRelay;
}

export function ompTransport(options: OmpGuestOptions): Transport {
	const member: Membership = { wasIn: false };
	return {
		async connect({ client }, events) {
			if (member.over !== undefined) throw new RefusedError(member.over);
			const sealer = await OmpSealer.of(options.link.secret);
			events.signal?.throwIfAborted();
			const guest = new OmpGuest(options, member, { sealer, events });
			await guest.enter(client.name);
			member.wasIn = true;
			return guest;
		},
	};
}

/** What holds from one connection to the next. */
interface Membership {
	/** It was let in before: a room that is gone is waited for. */
	wasIn: boolean;
	/** Why it is over for good. */
	over?: string;
}

class OmpGuest implements Connection {
	readonly rights: Connection["rights"];
	readonly #sealer: OmpSealer;
	readonly #token: string | undefined;
	readonly #events: ConnectionEvents;
	readonly #relay: RelayConnection;
	readonly #open = Promise.withResolvers<void>();
	readonly #in = Promise.withResolvers<void>();
	readonly #mirror: OmpMirror;
	readonly #commands: GuestCommands;
	#opening: Promise<void> = Promise.resolve();
	#sealing: Promise<void> = Promise.resolve();
	#late: ReturnType<typeof setTimeout> | undefined;
	#isIn = false;
	#isEnded = false;
	readonly #member: Membership;

	constructor(
		{ link, connect = ompRelay }: OmpGuestOptions,
		member: Membership,
		{ sealer, events }: { sealer: OmpSealer; events: ConnectionEvents },
	) {
		this.#member = member;
		this.#sealer = sealer;
		this.#events = events;
		this.#token = writeTokenOf(link.secret);
		// Who may write may answer what the host is asked, too: omp has no right between the two.
		this.rights = this.#token === undefined ? "view" : "approve";
		this.#mirror = new OmpMirror((line) => events.onLine(line));
		this.#commands = new GuestCommands(this.#mirror, this.rights !== "view", (frame) => this.#say(frame));
		this.#open.promise.catch(() => {});
		this.#in.promise.catch(() => {});
		this.#relay = connect(link.relay, link.room, "guest", {
			onOpen: () => this.#open.resolve(),
			onMessage: (bytes) => this.#queue(async () => this.#receive(await sealer.open(bytes))),
			onControl: ({ t }) => {
				if (t === "room-closed") this.#queue(() => this.#end("The host is away."));
			},
			onEnd: ({ code, reason }) => {
				// Whoever was in waits for a room that is gone; its host may come back.
				const isFinal = code === closeCodes.full || (!member.wasIn && code === closeCodes.noRoom);
				this.#queue(() => this.#end(reasons[code] ?? reason, isFinal));
			},
		});
		events.signal?.addEventListener("abort", this.#abort);
	}

	readonly #abort = (): void => this.#end("It was cancelled.");

	async enter(name: string): Promise<void> {
		this.#expect();
		await this.#open.promise;
		const token = this.#token === undefined ? {} : { writeToken: this.#token };
		this.#say({ t: "hello", proto: ompProtocol, name, ...token });
		await this.#in.promise;
	}

	send(line: object): void {
		this.#commands.take(line as Record<string, unknown>);
	}

	[Symbol.dispose](): void {
		void this.#sealing.finally(() => this.#end(undefined));
	}

	#queue(work: () => void | Promise<void>): void {
		this.#opening = this.#opening
			.then(work)
			.catch((error: unknown) => this.#end(error instanceof Error ? error.message : String(error)));
	}

	#receive(opened: Awaited<ReturnType<OmpSealer["open"]>>): void {
		if (this.#isEnded) return;
		if (!opened) return this.#end("bad key or corrupted frame", true);
		const { frame } = opened;
		switch (frame.t) {
			case "welcome":
				this.#expect();
				this.#mirror.welcome(frame);
				return;
			case "snapshot-chunk":
				this.#expect();
				this.#mirror.load(frame.entries);
				return frame.final === true ? this.#enter() : undefined;
			case "bye":
				return this.#end(typeof frame.reason === "string" ? frame.reason : "The host has ended it.", true);
			case "transcript":
				return this.#commands.onTranscript(frame);
			case "error":
				if (!this.#isIn) return this.#end(String(frame.message), true);
		}
		this.#mirror.take(frame);
		this.#commands.onChange();
	}

	#enter(): void {
		if (this.#isIn) return;
		clearTimeout(this.#late);
		this.#isIn = true;
		this.#in.resolve();
		this.#mirror.begin();
	}

	#say(frame: object): void {
		this.#sealing = this.#sealing.then(async () => {
			if (!this.#isEnded) await this.#relay.send(await this.#sealer.seal(0, frame));
		});
	}

	#expect(): void {
		clearTimeout(this.#late);
		if (!this.#isIn) this.#late = setTimeout(() => this.#end("The host does not answer."), limits.welcomeMs);
	}

	/** `isFinal`: it is of no use to come back. */
	#end(reason: string | undefined, isFinal = false): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		if (isFinal) this.#member.over = reason ?? "";
		clearTimeout(this.#late);
		this.#commands[Symbol.dispose]();
		this.#events.signal?.removeEventListener("abort", this.#abort);
		this.#relay[Symbol.dispose]();
		const { over } = this.#member;
		const error =
			over === undefined ? new Error(reason ?? "The connection was closed.") : new RefusedError(over);
		this.#open.reject(error);
		this.#in.reject(error);
		if (this.#isIn) this.#events.onEnd(reason, over !== undefined);
	}
}

const reasons: Readonly<Record<number, string>> = {
	[closeCodes.noRoom]: "There is no such room: the host has stopped sharing, or is not connected.",
	[closeCodes.roomClosed]: "The host is away.",
	[closeCodes.full]: "The room is full.",
};
