/** A Tau host's room for omp guests: one key for all of them, and frames for each one alone. */
import { delay } from "@tau/utils/portable";

import { base64url, sha256, utf8, type Bytes } from "../room/bytes.ts";
import type { RoomEvents, RoomState } from "../room/host.ts";
import type { RoomGuest, RoomMember } from "../room/host-peer.ts";
import { roomLimits } from "../room/limits.ts";
import { cleanName, distinctName } from "../room/names.ts";
import {
	ompRelay,
	retryMs,
	type ConnectRelay,
	type RelayConnection,
	type RelayEnd,
} from "../room/relay-socket.ts";
import { ompProtocol, type OmpHostFrame } from "./frames.ts";
import { OmpPeer } from "./host-peer.ts";
import { isSameToken, OmpSealer, writeTokenOf, type OmpRoomKeys } from "./seal.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface OmpSession {
	join(guest: RoomGuest, onLines: (lines: readonly string[]) => Promise<void>): RoomMember;
	admit(guest: Omit<RoomGuest, "from">): Promise<boolean>;
}

export interface OmpHostOptions {
	readonly relay: string;
	readonly keys: OmpRoomKeys;
	readonly hostName: string;
	readonly session: OmpSession;
	readonly events: Pick<RoomEvents, "onState" | "onJoined" | "onLeft">;
	readonly connect?: ConnectRelay;
}

export class OmpHost {
	readonly #options: OmpHostOptions;
	readonly #token: string;
	readonly #peers = new Map<number, OmpPeer>();
	/** Guests that were refused or removed: what they send is not read. */
	readonly #refused = new Set<number>();
	readonly #commands = new Map<number, number[]>();
	readonly #connected = Promise.withResolvers<void>();
	#sealer: OmpSealer | undefined;
	#relay: RelayConnection | undefined;
	#state: RoomState = { kind: "connecting" };
	#opening: Promise<void> = Promise.resolve();
	#attempt = 0;
	#retry: ReturnType<typeof setTimeout> | undefined;

	constructor(options: OmpHostOptions) {
		this.#options = options;
		this.#token = writeTokenOf(options.keys.secret) ?? "";
		this.#connected.promise.catch(() => {});
	}

	get guests(): readonly RoomGuest[] {
		return [...this.#peers.values()].map(({ guest }) => guest);
	}

	get state(): RoomState {
		return this.#state;
	}

	/** Resolves when guests can join; rejects with the reason if the relay does not take the room. */
	async start(): Promise<void> {
		this.#sealer = await OmpSealer.of(this.#options.keys.secret);
		this.#connect();
		await this.#connected.promise;
	}

	removeGuest(id: string, reason: string): void {
		for (const [number, peer] of this.#peers) if (peer.guest.id === id) this.#drop(number, reason, "bye");
	}

	async close(reason: string): Promise<void> {
		if (this.#state.kind === "ended") return;
		const leaving = [...this.#peers.values()];
		for (const peer of leaving) peer.end(reason);
		await Promise.race([Promise.all(leaving.map(({ sent }) => sent)), delay(roomLimits.farewellMs)]);
		this.#end(reason);
	}

	#connect(): void {
		const { relay, keys, connect = ompRelay } = this.#options;
		const mine: { relay?: RelayConnection } = {};
		const ifMine = (work: () => void): void => {
			if (mine.relay && this.#relay === mine.relay) work();
		};
		mine.relay = connect(relay, keys.room, "host", {
			onOpen: () => ifMine(() => this.#onOpen()),
			onMessage: (bytes) => ifMine(() => this.#queue(bytes)),
			onControl: (control) => ifMine(() => this.#onControl(control)),
			onEnd: (end) => ifMine(() => this.#onEnd(end)),
		});
		this.#relay = mine.relay;
	}

	#onOpen(): void {
		this.#attempt = 0;
		this.#setState({ kind: "connected" });
		this.#connected.resolve();
	}

	#onControl({ t, peer }: Fields): void {
		if (t === "peer-left" && typeof peer === "number") this.#drop(peer, undefined, "gone");
	}

	/** After a reconnect the numbers are given anew: none of them may keep a right. */
	#onEnd({ reason }: RelayEnd): void {
		this.#relay = undefined;
		if (this.#state.kind === "ended") return;
		for (const number of this.#peers.keys()) this.#drop(number, "reconnecting", "gone");
		this.#refused.clear();
		this.#commands.clear();
		if (this.#state.kind === "connecting") {
			this.#end(reason);
			return this.#connected.reject(new Error(reason));
		}
		this.#setState({ kind: "reconnecting", reason });
		this.#retry = setTimeout(() => this.#connect(), retryMs(this.#attempt++));
	}

	/** Frames are opened one after the other. */
	#queue(bytes: Bytes): void {
		this.#opening = this.#opening.then(async () => {
			const opened = await this.#sealer?.open(bytes);
			// Who has no key of the room is nobody.
			if (opened && this.#relay) await this.#take(opened.peer, opened.frame);
		});
	}

	async #take(number: number, frame: Fields): Promise<void> {
		if (number === 0 || this.#refused.has(number) || this.#isFlood(number)) return;
		const peer = this.#peers.get(number);
		if (peer) return peer.take(frame);
		if (frame.t === "hello") await this.#hello(number, frame);
	}

	async #hello(number: number, { proto, name, writeToken }: Fields): Promise<void> {
		if (proto !== ompProtocol)
			return this.#refuse(
				number,
				`protocol mismatch: host speaks v${ompProtocol}, guest sent v${String(proto)}`,
			);
		if (this.#peers.size >= roomLimits.guests) return this.#refuse(number, "The room is full.");
		const right = isSameToken(writeToken, this.#token) ? "prompt" : "view";
		const others = this.guests.map((guest) => guest.name);
		const clean = cleanName(typeof name === "string" ? name : "") || `guest-${number}`;
		const id = base64url(
			(await sha256(utf8(`omp ${this.#options.keys.room} ${crypto.randomUUID()}`))).slice(0, 12),
		);
		const guest: RoomGuest = {
			id,
			name: distinctName(clean, [this.#options.hostName, ...others]),
			right,
			link: right === "view" ? "omp view" : "omp",
			kinds: [],
		};
		// The user may take long, and others join meanwhile.
		void this.#admit(number, guest);
	}

	async #admit(number: number, guest: RoomGuest): Promise<void> {
		const relay = this.#relay;
		const isAdmitted = await this.#options.session.admit(guest);
		if (this.#relay !== relay || this.#refused.has(number)) return;
		if (!isAdmitted) return this.#refuse(number, "The host did not let you in.");
		const { hostName, session, events } = this.#options;
		try {
			const peer = new OmpPeer(guest, {
				hostName,
				post: (frame) => this.#post(number, frame),
				join: (who, onLines) => session.join(who, onLines),
			});
			this.#peers.set(number, peer);
			events.onJoined(guest, false);
		} catch (error) {
			this.#refuse(number, error instanceof Error ? error.message : String(error));
		}
	}

	#isFlood(number: number): boolean {
		const now = Date.now();
		const recent = (this.#commands.get(number) ?? []).filter((at) => at > now - roomLimits.floodMs);
		recent.push(now);
		this.#commands.set(number, recent);
		if (recent.length <= roomLimits.floodCommands) return false;
		this.#drop(number, "too many commands", "bye");
		return true;
	}

	#refuse(number: number, message: string): void {
		this.#refused.add(number);
		// Sealing is asynchronous: a guest that gets the goodbye first never reads why.
		void this.#post(number, { t: "error", message }).then(() =>
			this.#post(number, { t: "bye", reason: message }),
		);
	}

	#drop(number: number, reason: string | undefined, how: "bye" | "gone"): void {
		const peer = this.#peers.get(number);
		this.#peers.delete(number);
		if (how === "gone") {
			this.#refused.delete(number);
			this.#commands.delete(number);
		} else this.#refused.add(number);
		if (!peer) return;
		if (how === "bye") peer.end(reason ?? "");
		else peer[Symbol.dispose]();
		this.#options.events.onLeft(peer.guest, reason);
	}

	async #post(number: number, frame: OmpHostFrame): Promise<void> {
		const relay = this.#relay;
		const sealed = await this.#sealer?.seal(number, frame);
		if (sealed && relay && this.#relay === relay) await relay.send(sealed);
	}

	#end(reason: string): void {
		clearTimeout(this.#retry);
		this.#setState({ kind: "ended", reason });
		const relay = this.#relay;
		this.#relay = undefined;
		relay?.[Symbol.dispose]();
	}

	#setState(state: RoomState): void {
		this.#state = state;
		this.#options.events.onState(state);
	}
}
