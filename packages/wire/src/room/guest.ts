/** A guest's way to a session: a sealed room on a relay, as a `Transport` of the same client that attaches on one machine. */
import { isRecord } from "@tau/utils/portable";

import { peerOf } from "../envelope.ts";
import type { Cursor } from "../frames.ts";
import type { JoinRequest } from "../greeting.ts";
import { rights } from "../rights.ts";
import { RefusedError, type Connection, type ConnectionEvents, type Transport } from "../transport.ts";
import { base64url, randomBytes, type Bytes } from "./bytes.ts";
import { beginHandshake, type Introduced, type Introduction } from "./guest-handshake.ts";
import { GuestLines } from "./guest-lines.ts";
import { linkKeys, type LinkKeys } from "./keys.ts";
import { roomLimits as limits } from "./limits.ts";
import type { RoomLink } from "./link.ts";
import { bodyTypes, readMessage, writeMessage, type Message } from "./message.ts";
import { ContentReader, controlContent, lineContents, readGroupKey, type Control } from "./pieces.ts";
import {
	closeCodes,
	webSocketRelay,
	type ConnectRelay,
	type RelayConnection,
	type RelayEnd,
} from "./relay-socket.ts";
import { RoomFault } from "./seal.ts";

export interface GuestOptions {
	readonly link: RoomLink;
	/** Called when the relay, the network or another guest has tampered with messages, or lost some. */
	onFault?(fault: RoomFault): void;
	/** Called while the host decides whether to let us in. */
	onWaiting?(): void;
	/** How the relay is reached; a WebSocket, unless a test says otherwise. */
	connect?: ConnectRelay;
}

/** What holds from one connection to the next. */
interface Membership {
	readonly options: GuestOptions;
	readonly keys: LinkKeys;
	/** It was let in before: a room that is gone is waited for. */
	wasIn: boolean;
	/** Why it is over for good. */
	over?: string;
}

export function roomTransport(options: GuestOptions): Transport {
	let membership: Promise<Membership> | undefined;
	return {
		async connect({ sessionId: _, ...join }, events) {
			membership ??= linkKeys(options.link.room, options.link.secret).then((keys) => ({
				options,
				keys,
				wasIn: false,
			}));
			const member = await membership;
			if (member.over !== undefined) throw new RefusedError(member.over);
			events.signal?.throwIfAborted();
			const connection = new GuestConnection(member, join, events);
			await connection.welcomed;
			member.wasIn = true;
			return connection;
		},
	};
}

class GuestConnection implements Connection {
	readonly #member: Membership;
	readonly #join: JoinRequest;
	readonly #events: ConnectionEvents;
	readonly #relay: RelayConnection;
	readonly #welcome = Promise.withResolvers<void>();
	readonly #secret = randomBytes(32);
	readonly #owned = new DisposableStack();
	readonly #lines: GuestLines;
	readonly #forAll = new ContentReader(() => limits.wholeBytes);
	readonly #forUs = new ContentReader(() => limits.wholeBytes);
	#peer = "";
	#stream = 0;
	/** The number of our last message. */
	#sent = 0;
	#introduction: Introduction | undefined;
	#introduced: Introduced | undefined;
	#rights: Connection["rights"] = "view";
	#me: Connection["me"];
	#isIn = false;
	#isEnded = false;
	#unacknowledged = 0;
	#heardAt = performance.now();
	#resumed = { at: -Infinity, seq: -1 };
	#late: ReturnType<typeof setTimeout> | undefined;
	/** Messages are opened one after the other, and sealed in the order of their numbers. */
	#opening: Promise<void> = Promise.resolve();
	#sealing: Promise<void> = Promise.resolve();

	constructor(member: Membership, join: JoinRequest, events: ConnectionEvents) {
		this.#member = member;
		this.#join = join;
		this.#events = events;
		// One that was being opened when the connection ended comes again over the next one.
		this.#lines = new GuestLines(join.from, (line) => {
			if (!this.#isEnded) events.onLine(line);
		});
		this.#welcome.promise.catch(() => {});
		const { link, connect = webSocketRelay } = member.options;
		this.#relay = connect(link.relay, link.room, "guest", {
			onOpen: () =>
				this.#relay.control({ t: "hello", secret: base64url(this.#secret), link: member.keys.id }),
			onMessage: (bytes) => this.#queue(() => this.#receive(bytes)),
			onControl: (control) => this.#queue(() => this.#onControl(control)),
			onEnd: (end) => this.#onRelayEnd(end),
		});
		this.#expect(limits.welcomeMs, "The host does not answer.");
		const abort = (): void => this.#end("It was cancelled.");
		events.signal?.addEventListener("abort", abort);
		this.#owned.defer(() => events.signal?.removeEventListener("abort", abort));
	}

	get welcomed(): Promise<void> {
		return this.#welcome.promise;
	}

	get rights(): Connection["rights"] {
		return this.#rights;
	}

	get me(): Connection["me"] {
		return this.#me;
	}

	send(line: object): Promise<void> {
		return this.#seal(lineContents([JSON.stringify(line)]));
	}

	probe(): void {
		this.#say({ t: "ping" });
		this.#heardAt = Math.min(this.#heardAt, performance.now() - limits.silenceMs + limits.probeMs);
		this.#watch(limits.probeMs);
	}

	[Symbol.dispose](): void {
		if (this.#isIn && !this.#isEnded) this.#say({ t: "leave" });
		void this.#sealing.finally(() => this.#end(undefined));
	}

	#queue(work: () => void | Promise<void>): void {
		this.#opening = this.#opening.then(work).catch((error: unknown) => this.#onError(error));
	}

	#onError(error: unknown): void {
		if (error instanceof RoomFault) this.#member.options.onFault?.(error);
		this.#end(error instanceof Error ? error.message : String(error));
	}

	// The relay.

	async #onControl(control: Readonly<Record<string, unknown>>): Promise<void> {
		switch (control.t) {
			case "welcome":
				if (typeof control.stream === "number") this.#stream = control.stream;
				this.#peer = await peerOf(this.#secret);
				if (control.host !== false) await this.#knock();
				return;
			case "host":
				return await this.#onHost(control.present !== false, control.stream);
			case "move":
			case "resync":
				// What follows is complete only if it is asked for anew.
				return this.#end("The relay asked us to connect again.");
			case "partition":
				if (control.on === true) this.#end("The relay cannot reach the host.");
		}
	}

	/** It comes back with new keys of its own. */
	async #onHost(isThere: boolean, stream: unknown): Promise<void> {
		const isNew = typeof stream === "number" && stream !== this.#stream;
		// What it has said last may still be on its way.
		if (this.#introduced && !isThere) return this.#expect(limits.awayMs, "The host is away.");
		if (this.#introduced && isNew) return this.#end("The host is away.");
		if (typeof stream === "number") this.#stream = stream;
		if (isThere && !this.#introduction) await this.#knock();
	}

	#onRelayEnd({ code, reason }: RelayEnd): void {
		const { wasIn } = this.#member;
		const isFinal =
			code === closeCodes.refused ||
			code === closeCodes.full ||
			(!wasIn && (code === closeCodes.noRoom || code === closeCodes.roomClosed));
		// What the host has said last comes before.
		void this.#opening.then(() => (isFinal ? this.#finish(finalReason(code, reason)) : this.#end(reason)));
	}

	// The handshake.

	async #knock(): Promise<void> {
		await this.#post(Uint8Array.of(bodyTypes.knock));
	}

	async #receive(bytes: Bytes): Promise<void> {
		const envelope = readMessage(bytes);
		if (this.#isEnded || !envelope || envelope.direction !== "down" || envelope.stream !== this.#stream)
			return;
		if (envelope.peer !== "" && envelope.peer !== this.#peer) return this.#report(misdirected);
		switch (envelope.body[0]) {
			case bodyTypes.identity:
				return await this.#begin(envelope);
			case bodyTypes.answer:
				return await this.#finishHandshake(envelope);
			case bodyTypes.refused:
				return await this.#onRefused(envelope);
			case bodyTypes.pair:
				return await this.#openPair(envelope);
			case bodyTypes.group:
				return await this.#openGroup(envelope);
		}
	}

	async #begin({ body }: Message): Promise<void> {
		if (this.#introduction) return;
		const { keys, options } = this.#member;
		this.#introduction = await beginHandshake({
			room: options.link.room,
			link: keys,
			stream: this.#stream,
			peer: this.#peer,
			card: body.slice(1),
			hello: this.#join,
		});
		await this.#post(this.#introduction.message);
	}

	async #finishHandshake(envelope: Message): Promise<void> {
		if (!this.#introduction || this.#introduced) return;
		this.#introduced = await this.#introduction.finish(envelope);
		this.#say({ t: "ready" });
	}

	async #onRefused({ body }: Message): Promise<void> {
		const reason = await this.#introduction?.readRefusal(body.slice(1));
		if (reason === undefined) return this.#report(new RoomFault("forged", "A refusal was not the host's."));
		this.#finish(reason);
	}

	// Sealed messages.

	async #openPair(envelope: Message): Promise<void> {
		if (!this.#introduced) return;
		let plain: Bytes;
		try {
			plain = await this.#introduced.pair.open(envelope);
		} catch (error) {
			// A message that is missing does not come again; any other that is wrong changes nothing.
			if (error instanceof RoomFault && error.kind !== "missing") return this.#report(error);
			throw error;
		}
		// It was given up while the message was being opened.
		if (this.#isEnded) return;
		this.#heardAt = performance.now();
		this.#acknowledge(plain.length);
		const content = this.#forUs.read(plain);
		if (content?.kind === "control") return await this.#onHostControl(content.control);
		if (content && this.#isIn) this.#lines.take(content.lines);
	}

	async #openGroup(envelope: Message): Promise<void> {
		if (!this.#introduced || !this.#isIn) return;
		try {
			const { plain, fault } = await this.#introduced.group.open(envelope);
			if (this.#isEnded) return;
			this.#heardAt = performance.now();
			if (fault) {
				this.#report(fault);
				this.#forAll.reset();
			}
			const content = this.#forAll.read(plain);
			if (content?.kind === "lines") this.#lines.take(content.lines);
			if (fault) this.#resume();
		} catch (error) {
			if (!(error instanceof RoomFault)) throw error;
			this.#report(error);
		}
	}

	async #onHostControl(control: Control): Promise<void> {
		switch (control.t) {
			case "waiting":
				this.#expect(limits.admitMs, "The host did not let you in.");
				return this.#member.options.onWaiting?.();
			case "welcome":
				return await this.#onWelcome(control);
			case "epoch":
				return await this.#useKey(control);
			case "pong":
				return this.#onPong(control);
			case "end": {
				const reason = typeof control.reason === "string" ? control.reason : "The host has ended it.";
				return control.final === true ? this.#finish(reason) : this.#end(reason);
			}
		}
	}

	async #onWelcome(control: Control): Promise<void> {
		if (this.#isIn) return;
		await this.#useKey(control);
		if (this.#isEnded) return;
		this.#rights = rights.find((each) => each === control.rights) ?? "view";
		if (typeof control.id === "string" && typeof control.name === "string")
			this.#me = { id: control.id, name: control.name };
		this.#isIn = true;
		clearTimeout(this.#late);
		const asking = setInterval(() => this.#watch(limits.silenceMs), limits.pingMs);
		this.#owned.defer(() => clearInterval(asking));
		this.#welcome.resolve();
	}

	async #useKey(control: Control): Promise<void> {
		const { key, next } = readGroupKey(control);
		await this.#introduced?.group.use(key, next);
	}

	/** Whatever was sent to all before it has come before it, or is lost. */
	#onPong({ cursor }: Control): void {
		const { have } = this.#lines;
		if (!isRecord(cursor) || !have) return;
		if (typeof cursor.seq === "number" && cursor.epoch === have.epoch && cursor.seq > have.seq) {
			this.#report(new RoomFault("missing", `${cursor.seq - have.seq} frames of the host have not come.`));
			this.#resume();
		}
	}

	/** Asks the host for what is missing, unless it is sending already. */
	#resume(): void {
		const now = performance.now();
		const { have } = this.#lines;
		if (!have || (have.seq === this.#resumed.seq && now - this.#resumed.at < limits.resumeMs)) return;
		this.#resumed = { at: now, seq: have.seq };
		this.#say({ t: "resume", cursor: { epoch: have.epoch, seq: have.seq } satisfies Cursor });
	}

	#acknowledge(bytes: number): void {
		this.#unacknowledged += bytes;
		if (this.#unacknowledged < limits.acknowledgeBytes) return;
		this.#say({ t: "ack", bytes: this.#unacknowledged });
		this.#unacknowledged = 0;
	}

	#watch(mostMs: number): void {
		if (performance.now() - this.#heardAt > mostMs) return this.#end("The host does not answer.");
		this.#say({ t: "ping" });
		if (this.#lines.isWaiting) this.#resume();
	}

	#say(control: Control): void {
		void this.#seal([controlContent(control)]);
	}

	#seal(contents: readonly Bytes[]): Promise<void> {
		this.#sealing = this.#sealing
			.then(async () => {
				const { pair } = this.#introduced ?? {};
				if (!pair || this.#isEnded) return;
				for (const plain of contents) await this.#post(await pair.seal(this.#sent + 1, plain));
			})
			.catch((error: unknown) => this.#onError(error));
		return this.#sealing;
	}

	async #post(body: Bytes): Promise<void> {
		const seq = ++this.#sent;
		await this.#relay.send(
			writeMessage({ direction: "up", stream: this.#stream, peer: this.#peer, seq, body }),
		);
	}

	// The end.

	#report(fault: RoomFault): void {
		this.#member.options.onFault?.(fault);
	}

	#expect(ms: number, reason: string): void {
		clearTimeout(this.#late);
		this.#late = setTimeout(() => this.#end(reason), ms);
	}

	/** It will not come back. */
	#finish(reason: string): void {
		// What the host has said counts, and not how the relay closes the connection after it.
		this.#member.over ??= reason;
		this.#end(reason);
	}

	#end(reason: string | undefined): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		clearTimeout(this.#late);
		this.#owned.dispose();
		this.#relay[Symbol.dispose]();
		const { over } = this.#member;
		this.#welcome.reject(
			over === undefined ? new Error(reason ?? "The connection was closed.") : new RefusedError(over),
		);
		if (this.#isIn) this.#events.onEnd(reason, over !== undefined);
	}
}

const misdirected = new RoomFault("forged", "A message is for another guest.");

function finalReason(code: number, reason: string): string {
	switch (code) {
		case closeCodes.refused:
			return "The host does not accept this link: it was revoked, has expired, or was used up.";
		case closeCodes.full:
			return "The room is full.";
		case closeCodes.noRoom:
			return "There is no such room: the host has stopped sharing, or is not connected.";
		case closeCodes.roomClosed:
			return "The host has stopped sharing.";
		default:
			return reason;
	}
}
