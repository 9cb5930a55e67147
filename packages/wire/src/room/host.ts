/** The host's end of a room: keeps the connection to the relay, lets guests in, and sends to all of them at once. */
import { delay } from "@tau/utils/portable";

import { hostProof } from "../envelope.ts";
import type { Cursor } from "../frames.ts";
import { base64url, concat, randomBytes, type Bytes } from "./bytes.ts";
import { HostPeer, type PeerRoom, type RoomGuest, type RoomMember } from "./host-peer.ts";
import type { Invitations } from "./invitations.ts";
import { identityCard, sign, type RoomIdentity } from "./keys.ts";
import { roomLimits as limits } from "./limits.ts";
import { bodyTypes, readMessage, writeMessage } from "./message.ts";
import { cleanName, distinctName } from "./names.ts";
import { groupKeyFields, lineContents } from "./pieces.ts";
import {
	closeCodes,
	retryMs,
	webSocketRelay,
	type ConnectRelay,
	type RelayConnection,
	type RelayEnd,
} from "./relay-socket.ts";
import { GroupSealer, type GroupKey, type RoomFault } from "./seal.ts";

/** The session that is shared. */
export interface SharedSession {
	/** How far frames were sent to all. */
	cursor(): Cursor;
	join(guest: RoomGuest, onLines: (lines: readonly string[]) => void | Promise<void>): RoomMember;
	admit(guest: Omit<RoomGuest, "from">): Promise<boolean>;
}

export type RoomState =
	| { readonly kind: "connecting" }
	| { readonly kind: "connected" }
	| { readonly kind: "reconnecting"; readonly reason: string }
	| { readonly kind: "ended"; readonly reason: string };

export interface RoomEvents {
	onState(state: RoomState): void;
	onJoined(guest: RoomGuest, isBack: boolean): void;
	onLeft(guest: RoomGuest, reason: string | undefined): void;
	onFault(who: string, fault: RoomFault): void;
	/** What has to be kept: the number of the epoch, and who has used which link. */
	onChange(): void;
}

export interface RoomHostOptions {
	readonly relay: string;
	readonly identity: RoomIdentity;
	readonly invitations: Invitations;
	/** The last epoch of an earlier life of the room. */
	readonly epoch: number;
	/** How the host itself is called: no guest may have that name. */
	readonly hostName: string;
	readonly session: SharedSession;
	readonly events: RoomEvents;
	readonly connect?: ConnectRelay;
	readonly now?: () => number;
}

export class RoomHost implements AsyncDisposable {
	readonly #options: RoomHostOptions;
	readonly #sealer: GroupSealer;
	readonly #peers = new Map<string, HostPeer>();
	/** Guests that were here, by id. */
	readonly #seen = new Map<string, string>();
	/** Those of them who were said to have left: their return is announced as well. */
	readonly #left = new Set<string>();
	#card: Bytes = new Uint8Array(0);
	#relay: RelayConnection | undefined;
	#state: RoomState = { kind: "connecting" };
	#stream = 0;
	#key: GroupKey;
	/** The last number of each channel; the empty name is the one to all. */
	#sent = new Map<string, number>();
	/** Everything is sealed and sent in one order. */
	#sending: Promise<void> = Promise.resolve();
	#attempt = 0;
	#retry: ReturnType<typeof setTimeout> | undefined;
	#sweep: ReturnType<typeof setInterval> | undefined;
	#handshakes: number[] = [];
	/** Called when the relay says that a peer is gone. */
	#onGone: (peer: string) => void = () => {};
	#connected = Promise.withResolvers<void>();

	constructor(options: RoomHostOptions) {
		this.#options = options;
		this.#sealer = new GroupSealer(options.identity.id, options.identity.signer);
		this.#key = { epoch: options.epoch, bytes: randomBytes(32) };
		this.#connected.promise.catch(() => {});
	}

	/** Resolves when guests can join; rejects with the reason if the relay does not take the room. */
	async start(): Promise<void> {
		this.#card = await identityCard(this.#options.identity);
		this.#sweep = setInterval(() => this.#forgetSilent(), limits.pingMs);
		this.#connect();
		await this.#connected.promise;
	}

	get state(): RoomState {
		return this.#state;
	}

	get epoch(): number {
		return this.#key.epoch;
	}

	get guests(): readonly RoomGuest[] {
		return [...this.#peers.values()].flatMap(({ guest }) => (guest ? [guest] : []));
	}

	/** Sends lines to all guests. A promise while the relay does not take more. */
	broadcast(lines: readonly string[]): void | Promise<void> {
		if (this.guests.length === 0 || this.#state.kind !== "connected") return;
		const sent = lineContents(lines).map((plain) =>
			this.#post("", (seq) => this.#sealer.seal({ stream: this.#stream, seq }, plain)),
		);
		return Promise.all(sent).then(() => {});
	}

	/** Guests of links that are no longer known leave, and cannot read what comes after. */
	async dropRevoked(reason: string): Promise<void> {
		const known = new Set(this.#options.invitations.ids);
		const gone = [...this.#peers.values()].filter(({ linkId }) => linkId !== undefined && !known.has(linkId));
		await Promise.all(gone.map((peer) => peer.end(reason, true)));
		await this.#newEpoch();
		this.#sayLinks();
	}

	/** A new link may be used. */
	linksChanged(): void {
		this.#sayLinks();
		this.#options.events.onChange();
	}

	async removeGuest(id: string, reason: string): Promise<void> {
		const peers = [...this.#peers.values()].filter(({ guest }) => guest?.id === id);
		// With `collab.admit: ask`, the user is asked again when the guest comes back.
		this.#seen.delete(id);
		await Promise.all(peers.map((peer) => peer.end(reason, true)));
		for (const { peer } of peers) this.#relay?.control({ t: "kick", peer });
		await this.#newEpoch();
	}

	/** Everybody leaves. `isOver`: the room is not kept by the relay either. */
	async close(reason: string, isOver: boolean): Promise<void> {
		if (this.#state.kind === "ended") return;
		const leaving = [...this.#peers.values()];
		const gone = this.#whenGone(leaving.filter(({ guest }) => guest).map(({ peer }) => peer));
		await Promise.all(leaving.map((peer) => peer.end(reason, isOver)));
		await this.#sending;
		// Who has read why leaves by itself; the relay would close the room before that.
		await gone;
		if (isOver) this.#relay?.control({ t: "close" });
		this.#end(reason);
	}

	/** Resolves when the relay has said that they are gone, or after a while. */
	async #whenGone(peers: readonly string[]): Promise<void> {
		const left = new Set(peers);
		if (left.size === 0) return;
		await Promise.race([
			delay(limits.farewellMs),
			new Promise<void>((resolve) => {
				this.#onGone = (peer) => {
					if (left.delete(peer) && left.size === 0) resolve();
				};
			}),
		]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close("The host has left.", false);
	}

	#connect(): void {
		const { relay, identity, connect = webSocketRelay } = this.#options;
		const mine: { relay?: RelayConnection } = {};
		const isMine = (): boolean => mine.relay !== undefined && this.#relay === mine.relay;
		mine.relay = connect(relay, identity.id, "host", {
			onOpen: () => {},
			onMessage: (bytes) => {
				if (isMine()) this.#receive(bytes);
			},
			onControl: (control) => {
				if (isMine()) void this.#onControl(control);
			},
			onEnd: (end) => {
				if (isMine()) this.#onRelayEnd(end);
			},
		});
		this.#relay = mine.relay;
	}

	async #onControl(control: Readonly<Record<string, unknown>>): Promise<void> {
		switch (control.t) {
			case "challenge":
				return await this.#introduce(String(control.nonce), Number(control.stream) || 0);
			case "welcome":
				return this.#onWelcome();
			case "peer-left":
				this.#onGone(String(control.peer));
				return this.#peers.get(String(control.peer))?.leave(undefined);
			case "move":
			case "resync":
				// With new keys and numbers everybody knows where they are.
				return this.#onRelayEnd({ code: 0, reason: "The relay asked us to connect again." });
		}
	}

	/** Each connection is a new life: its numbers begin anew, and so it has a key of its own. */
	async #introduce(nonce: string, last: number): Promise<void> {
		const { identity, invitations, now = Date.now } = this.#options;
		for (const peer of this.#peers.values()) peer.leave("reconnecting");
		this.#peers.clear();
		await this.#sending;
		this.#stream = Math.max(Math.floor(now() / 1000), last + 1, this.#stream + 1);
		this.#sent = new Map();
		this.#key = { epoch: this.#key.epoch + 1, bytes: randomBytes(32) };
		await this.#sealer.use(this.#key);
		const proof = hostProof(identity.id, nonce, this.#stream);
		this.#relay?.control({
			t: "hello",
			key: base64url(identity.keys.signing),
			sig: base64url(await sign(identity.signer, proof)),
			stream: this.#stream,
			links: invitations.ids,
		});
		this.#options.events.onChange();
	}

	#onWelcome(): void {
		this.#attempt = 0;
		this.#setState({ kind: "connected" });
		this.#connected.resolve();
	}

	#onRelayEnd({ code, reason }: RelayEnd): void {
		const relay = this.#relay;
		// Before it is closed: its end is ours already.
		this.#relay = undefined;
		relay?.[Symbol.dispose]();
		if (this.#state.kind === "ended") return;
		for (const peer of this.#peers.values()) peer.leave("reconnecting");
		this.#peers.clear();
		const isFirst = this.#state.kind === "connecting";
		if (isFirst || code === closeCodes.notOurs) return this.#fail(reason);
		this.#setState({ kind: "reconnecting", reason });
		this.#retry = setTimeout(() => this.#connect(), retryMs(this.#attempt++));
	}

	#fail(reason: string): void {
		this.#end(reason);
		this.#connected.reject(new Error(reason));
	}

	#end(reason: string): void {
		clearTimeout(this.#retry);
		clearInterval(this.#sweep);
		this.#setState({ kind: "ended", reason });
		const relay = this.#relay;
		this.#relay = undefined;
		relay?.[Symbol.dispose]();
	}

	#receive(bytes: Bytes): void {
		const envelope = readMessage(bytes);
		if (!envelope || envelope.direction !== "up" || envelope.stream !== this.#stream || envelope.peer === "")
			return;
		if (envelope.body[0] === bodyTypes.knock) return this.#answerKnock(envelope.peer);
		const known = this.#peers.get(envelope.peer);
		if (known) return known.take(envelope);
		if (envelope.body[0] !== bodyTypes.begin || !this.#mayBegin()) return;
		const peer = new HostPeer(envelope.peer, this.#peerRoom());
		this.#peers.set(envelope.peer, peer);
		peer.take(envelope);
	}

	#answerKnock(peer: string): void {
		if (this.#mayBegin()) void this.#post(peer, () => concat(Uint8Array.of(bodyTypes.identity), this.#card));
	}

	/** A flood of beginnings costs what one more guest costs, and no more. */
	#mayBegin(): boolean {
		const now = this.#now();
		this.#handshakes = this.#handshakes.filter((at) => at > now - limits.floodMs);
		const joining = this.#peers.size - this.guests.length;
		if (this.#handshakes.length >= limits.floodHandshakes || joining >= limits.joining) return false;
		if (this.guests.length >= limits.guests) return false;
		this.#handshakes.push(now);
		return true;
	}

	#peerRoom(): PeerRoom {
		const { identity, invitations, session } = this.#options;
		return {
			identity,
			invitations,
			stream: this.#stream,
			unfinishedBytes: (peer) => {
				const others = [...this.#peers.values()].filter((each) => each !== peer);
				return others.reduce((free, { heldBytes }) => free - heldBytes, limits.unfinishedBytes);
			},
			now: () => this.#now(),
			post: (peer, body) => this.#post(peer, body),
			groupKey: () => groupKeyFields(this.#key, (this.#sent.get("") ?? 0) + 1),
			cursor: () => session.cursor(),
			nameFor: (name, guest) => this.#nameFor(name, guest),
			admit: (guest) => (this.#seen.has(guest.id) ? Promise.resolve(true) : session.admit(guest)),
			join: (guest, onLines) => this.#join(guest, onLines),
			onFault: (who, fault) => this.#options.events.onFault(who, fault),
			onLeft: (peer, reason) => this.#onLeft(peer, reason),
		};
	}

	#join(guest: RoomGuest, onLines: (lines: readonly string[]) => void | Promise<void>): RoomMember {
		// The same guest from before: its connection is dead, and only we have not noticed.
		for (const peer of this.#peers.values()) if (peer.guest?.id === guest.id) peer.leave("reconnecting");
		const member = this.#options.session.join(guest, onLines);
		const isBack = this.#seen.has(guest.id) && !this.#left.delete(guest.id);
		this.#seen.delete(guest.id);
		this.#seen.set(guest.id, guest.name);
		for (const oldest of this.#seen.keys()) {
			if (this.#seen.size <= limits.guestsKept) break;
			this.#seen.delete(oldest);
			this.#left.delete(oldest);
		}
		this.#options.events.onJoined(guest, isBack);
		this.#options.events.onChange();
		return member;
	}

	/** Whoever comes back has the name from before. */
	#nameFor(wanted: string, guest: string): string {
		const before = this.#seen.get(guest);
		const others = this.guests.filter(({ id }) => id !== guest).map(({ name }) => name);
		const name = cleanName(wanted) || `guest-${this.#seen.size + 1}`;
		return before ?? distinctName(name, [this.#options.hostName, ...others]);
	}

	#onLeft(peer: HostPeer, reason: string | undefined): void {
		if (this.#peers.get(peer.peer) === peer) this.#peers.delete(peer.peer);
		if (!peer.guest) return;
		if (reason !== "reconnecting" && this.#seen.has(peer.guest.id)) this.#left.add(peer.guest.id);
		this.#options.events.onLeft(peer.guest, reason);
	}

	async #newEpoch(): Promise<void> {
		const key = { epoch: this.#key.epoch + 1, bytes: randomBytes(32) };
		// What was said before is sealed with the old key, and what comes after with the new one.
		const renewed = this.#sending.then(async () => {
			await this.#sealer.use(key);
			this.#key = key;
		});
		this.#sending = renewed;
		// In the same turn: nothing may come between the new key and the messages that carry it.
		for (const peer of this.#peers.values()) peer.renewKey();
		await renewed;
		this.#options.events.onChange();
	}

	#sayLinks(): void {
		this.#relay?.control({ t: "links", links: this.#options.invitations.ids });
	}

	#forgetSilent(): void {
		const now = this.#now();
		for (const peer of this.#peers.values()) {
			const most = peer.guest ? limits.guestSilenceMs : limits.admitMs;
			if (now - peer.heardAt > most) peer.leave("no answer");
		}
		const expired = this.#options.invitations.expire(now);
		if (expired.length > 0) void this.dropRevoked("This link has expired.");
	}

	#post(peer: string, body: (seq: number) => Bytes | Promise<Bytes>): Promise<void> {
		const relay = this.#relay;
		const posted = this.#sending.then(async () => {
			// It was meant for a connection that is gone.
			if (!relay || this.#relay !== relay) return;
			const seq = (this.#sent.get(peer) ?? 0) + 1;
			this.#sent.set(peer, seq);
			const sealed = await body(seq);
			await relay.send(writeMessage({ direction: "down", stream: this.#stream, peer, seq, body: sealed }));
		});
		this.#sending = posted.catch(() => {});
		return posted;
	}

	#setState(state: RoomState): void {
		this.#state = state;
		this.#options.events.onState(state);
	}

	#now(): number {
		return (this.#options.now ?? Date.now)();
	}
}
