/** One guest as its host sees it: from the first knock to the last message. */
import { isRecord } from "@tau/utils/portable";

import type { Cursor } from "../frames.ts";
import { readJoin, readObject, type JoinRequest } from "../greeting.ts";
import { permits } from "../rights.ts";
import { base64url, sha256, textOf, utf8, type Bytes } from "./bytes.ts";
import { roomLimits as limits } from "./limits.ts";
import { bodyTypes, type Message } from "./message.ts";
import { HostHandshake } from "./noise.ts";
import { ContentReader, controlContent, lineContents, type Control } from "./pieces.ts";
import { prologueOf } from "./prologue.ts";
import { writeRefusal } from "./refusal.ts";
import type { RoomIdentity } from "./keys.ts";
import type { Invitations, LinkRight } from "./invitations.ts";
import { Pair, RoomFault } from "./seal.ts";

/** Somebody who has proved to have a link. */
export interface RoomGuest {
	/** The same after a reconnect, and nothing that another guest could join with. */
	readonly id: string;
	readonly name: string;
	readonly right: LinkRight;
	/** The name of the link. */
	readonly link: string;
	readonly kinds: JoinRequest["client"]["kinds"];
	readonly from?: Cursor | undefined;
}

/** A guest's place at the session. */
export interface RoomMember extends Disposable {
	/** A command of the guest. */
	take(line: Record<string, unknown>): void;
	/** It has lost what came after. */
	resume(from: Cursor): void;
}

/** What a peer needs of its room. */
export interface PeerRoom {
	readonly identity: RoomIdentity;
	readonly invitations: Invitations;
	readonly stream: number;
	now(): number;
	/** Sends a body that is made when it is its turn, with its number. */
	post(peer: string, body: (seq: number) => Bytes | Promise<Bytes>): Promise<void>;
	/** The fields of the key of the epoch, as of the moment when they are sent. */
	groupKey(): object;
	cursor(): Cursor;
	/** The name that it has among the others. */
	nameFor(name: string, guest: string): string;
	/** Asks the host's user, where that is wanted. */
	admit(guest: Omit<RoomGuest, "from">): Promise<boolean>;
	/** Lets it join the session. Throws the reason where that is not possible. */
	join(guest: RoomGuest, onLines: (lines: readonly string[]) => void | Promise<void>): RoomMember;
	/** What a message of this peer may have at most beside the unfinished ones of the others. */
	unfinishedBytes(peer: HostPeer): number;
	onFault(guest: string, fault: RoomFault): void;
	onLeft(peer: HostPeer, reason: string | undefined): void;
}

const unknownGuest = "somebody who has not joined";

export class HostPeer {
	readonly peer: string;
	readonly #room: PeerRoom;
	/** Only who may prompt sends something large, and nobody before they are let in. */
	readonly #pieces = new ContentReader(() => {
		const mayPrompt = this.guest !== undefined && permits(this.guest.right, "prompt");
		const own = mayPrompt ? limits.guestWholeBytes : limits.guestCommandBytes;
		return Math.min(own, this.#room.unfinishedBytes(this));
	});
	#handshake: { pair: Pair; hello: JoinRequest; link: string; guest: string } | undefined;
	#guest: RoomGuest | undefined;
	#member: RoomMember | undefined;
	#isReady = false;
	#isGone = false;
	/** What the guest has not said to have read. */
	#unread = 0;
	#window: PromiseWithResolvers<void> | undefined;
	#commands: number[] = [];
	#working: Promise<void> = Promise.resolve();
	heardAt: number;

	constructor(peer: string, room: PeerRoom) {
		this.peer = peer;
		this.#room = room;
		this.heardAt = room.now();
	}

	/** Undefined until it was let in. */
	get guest(): RoomGuest | undefined {
		return this.#member ? this.#guest : undefined;
	}

	/** The id of its link, once it has proved to have it. */
	get linkId(): string | undefined {
		return this.#handshake?.link;
	}

	/** What it has sent of a message that is not complete. */
	get heldBytes(): number {
		return this.#pieces.heldBytes;
	}

	take(envelope: Message): void {
		this.#working = this.#working.then(() => this.#receive(envelope)).catch((error) => this.#onError(error));
	}

	/** Sends it the key of the new epoch. */
	renewKey(): void {
		if (this.#member) void this.#say(() => ({ t: "epoch", ...this.#room.groupKey() }));
	}

	/** Says why, and forgets it. `isFinal`: it need not come back. */
	async end(reason: string, isFinal: boolean): Promise<void> {
		if (this.#isGone) return;
		const said = this.#handshake ? this.#say(() => ({ t: "end", reason, final: isFinal })) : undefined;
		this.leave(reason);
		await said;
	}

	/** It is not there any more. */
	leave(reason: string | undefined): void {
		if (this.#isGone) return;
		this.#isGone = true;
		this.#member?.[Symbol.dispose]();
		this.#window?.resolve();
		this.#room.onLeft(this, reason);
		this.#member = undefined;
	}

	#onError(error: unknown): void {
		if (error instanceof RoomFault) this.#room.onFault(this.#guest?.name ?? unknownGuest, error);
		void this.end(error instanceof Error ? error.message : String(error), false);
	}

	async #receive(envelope: Message): Promise<void> {
		if (this.#isGone) return;
		switch (envelope.body[0]) {
			case bodyTypes.begin:
				return await this.#begin(envelope);
			case bodyTypes.pair:
				return await this.#open(envelope);
		}
	}

	async #begin({ body, seq }: Message): Promise<void> {
		if (this.#handshake) return;
		const { identity, invitations, stream, now } = this.#room;
		const idBytes = body[1] ?? 0;
		const link = textOf(body.slice(2, 2 + idBytes));
		const known = invitations.find(link);
		if (!known) return await this.#refuse(body, invitations.refusal(link, "", now()) ?? "");
		let handshake: HostHandshake;
		try {
			const prologue = prologueOf(identity.id, link, stream, this.peer);
			handshake = await HostHandshake.read(
				{ prologue, host: identity.exchange, psk: known.psk },
				body.slice(2 + idBytes),
			);
		} catch {
			throw new RoomFault("forged", "A guest does not have the link that it names.");
		}
		const hello = readJoin(readObject(textOf(handshake.payload)) ?? {});
		if (!hello)
			return await this.#refuse(body, "The greeting cannot be read: both ends need the same version of Tau.");
		const guest = base64url(
			(await sha256(utf8(`tau room v1 guest ${identity.id} ${link} ${hello.client.id}`))).subarray(0, 12),
		);
		const refusal = invitations.refusal(link, guest, now());
		if (refusal !== undefined) return await this.#refuse(body, refusal);
		const { message, ciphers } = await handshake.finish(new Uint8Array(0));
		const pair = new Pair({
			room: identity.id,
			stream,
			peer: this.peer,
			sends: "down",
			seals: ciphers.down,
			opens: ciphers.up,
			next: seq + 1,
		});
		this.#handshake = { pair, hello, link, guest };
		await this.#room.post(this.peer, () => Uint8Array.of(bodyTypes.answer, ...message));
	}

	async #refuse(asked: Bytes, reason: string): Promise<void> {
		const refusal = await writeRefusal(this.#room.identity.signer, asked, reason);
		await this.#room.post(this.peer, () => Uint8Array.of(bodyTypes.refused, ...refusal));
		this.leave(reason);
	}

	async #open(envelope: Message): Promise<void> {
		if (!this.#handshake) return;
		let plain: Bytes;
		try {
			plain = await this.#handshake.pair.open(envelope);
		} catch (error) {
			if (!(error instanceof RoomFault) || error.kind === "missing") throw error;
			return this.#room.onFault(this.#guest?.name ?? unknownGuest, error);
		}
		this.heardAt = this.#room.now();
		const content = this.#pieces.read(plain);
		if (content?.kind === "control") return await this.#onControl(content.control);
		for (const line of content?.lines ?? []) this.#takeCommand(line);
	}

	async #onControl(control: Control): Promise<void> {
		switch (control.t) {
			case "ready":
				return void this.#admit();
			case "ping":
				return void this.#say(() => ({ t: "pong", cursor: this.#room.cursor() }));
			case "ack":
				return this.#onRead(control.bytes);
			case "resume":
				return this.#onResume(control.cursor);
			case "leave":
				return this.leave(undefined);
		}
	}

	/** The guest has answered our answer: it is no repeat of an earlier one. */
	async #admit(): Promise<void> {
		if (!this.#handshake || this.#isReady) return;
		this.#isReady = true;
		const { hello, link, guest: id } = this.#handshake;
		const { invitation } = this.#room.invitations.find(link) ?? {};
		if (!invitation) return await this.end("The host has revoked this link.", true);
		const name = this.#room.nameFor(hello.client.name, id);
		const guest = { id, name, right: invitation.right, link: invitation.name, kinds: hello.client.kinds };
		const late = setTimeout(() => void this.#say(() => ({ t: "waiting" })), limits.waitingMs);
		const isAdmitted = await this.#room.admit(guest).finally(() => clearTimeout(late));
		if (this.#isGone) return;
		if (!isAdmitted) return await this.end("The host did not let you in.", true);
		// Others may have used the link meanwhile, or its time is over.
		const refusal = this.#room.invitations.refusal(link, id, this.#room.now());
		if (refusal !== undefined) return await this.end(refusal, true);
		this.#room.invitations.use(link, id);
		this.#guest = { ...guest, from: hello.from };
		await this.#say(() => ({
			t: "welcome",
			rights: guest.right,
			id,
			name: this.#guest?.name,
			...this.#room.groupKey(),
		}));
		// It may have been sent away while the welcome was sealed.
		if (this.#isGone) return;
		try {
			this.#member = this.#room.join(this.#guest, (lines) => this.#send(lines));
		} catch (error) {
			await this.end(error instanceof Error ? error.message : String(error), true);
		}
	}

	#takeCommand(line: string): void {
		const command = readObject(line);
		if (!command) throw new RoomFault("malformed", "A command is not a JSON object.");
		const now = this.#room.now();
		this.#commands = [...this.#commands.filter((at) => at > now - limits.floodMs), now];
		if (this.#commands.length > limits.floodCommands)
			return void this.end(
				`You sent more than ${limits.floodCommands} commands in ${limits.floodMs / 1000} s.`,
				true,
			);
		this.#member?.take(command);
	}

	#onRead(bytes: unknown): void {
		if (typeof bytes !== "number" || !(bytes > 0)) return;
		this.#unread = Math.max(0, this.#unread - bytes);
		if (this.#unread > limits.windowBytes) return;
		this.#window?.resolve();
		this.#window = undefined;
	}

	#onResume(cursor: unknown): void {
		if (!isRecord(cursor) || typeof cursor.epoch !== "string" || typeof cursor.seq !== "number") return;
		this.#member?.resume({ epoch: cursor.epoch, seq: cursor.seq });
	}

	/** A promise while the guest has not read enough of what it was sent. */
	#send(lines: readonly string[]): void | Promise<void> {
		for (const plain of lineContents(lines)) {
			this.#unread += plain.length;
			void this.#seal(() => plain);
		}
		if (this.#unread > limits.windowBytes) this.#window ??= Promise.withResolvers();
		return this.#window?.promise;
	}

	#say(control: () => Control): Promise<void> {
		return this.#seal(() => controlContent(control()));
	}

	async #seal(plain: () => Bytes): Promise<void> {
		const { pair } = this.#handshake ?? {};
		if (!pair) return;
		await this.#room.post(this.peer, (seq) => pair.seal(seq, plain()));
	}
}
