/** Seals what a host sends to all guests and what goes between it and one of them, and names what does not open. */
import type { Direction, Envelope } from "../envelope.ts";
import { concat, utf8, type Bytes } from "./bytes.ts";
import { isSigned, sign } from "./keys.ts";
import { Binding, bodyTypes, type Message } from "./message.ts";
import { nonce, type CipherKey } from "./noise.ts";

/** What a relay, the network or another guest has done to a message. */
export type FaultKind =
	/** It came before. */
	| "repeated"
	/** Messages before it did not come. */
	| "missing"
	/** It was changed, or belongs to another place, room or sender. */
	| "forged"
	/** It is of an epoch that is over, or not known yet. */
	| "epoch"
	/** It opens, and is not what a host or a guest sends. */
	| "malformed";

export class RoomFault extends Error {
	readonly kind: FaultKind;

	constructor(kind: FaultKind, message: string) {
		super(message);
		this.kind = kind;
	}
}

/** Numbers have to rise by one. Throws the fault where this one does not. */
function checkOrder(expected: number, seq: number): void {
	if (seq < expected) throw new RoomFault("repeated", `Message ${seq} came again.`);
	if (seq > expected)
		throw new RoomFault("missing", `${seq - expected} messages before message ${seq} are missing.`);
}

const signatureBytes = 64;
const batchTag = utf8("tau room v1 batch");

/** The key of an epoch: every guest of that time has it. */
export interface GroupKey {
	readonly epoch: number;
	readonly bytes: Bytes;
}

async function importGroup({ bytes }: GroupKey, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
	return await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, [use]);
}

/** The host's end: seals under the key of the epoch, and signs, so that no guest can speak for the host. */
export class GroupSealer {
	readonly #binding: Binding;
	readonly #signer: CryptoKey;
	#epoch = 0;
	#key: CryptoKey | undefined;

	constructor(room: string, signer: CryptoKey) {
		this.#binding = new Binding(room, bodyTypes.group);
		this.#signer = signer;
	}

	async use(key: GroupKey): Promise<void> {
		this.#key = await importGroup(key, "encrypt");
		this.#epoch = key.epoch;
	}

	/** The body for an envelope to all. */
	async seal(place: Pick<Envelope, "stream" | "seq">, plain: Bytes): Promise<Bytes> {
		const key = this.#key;
		const epoch = this.#epoch;
		if (!key) throw new Error("The room has no key yet.");
		const additionalData = this.#binding.of({ ...place, direction: "down", peer: "" }, epoch);
		const signature = await sign(this.#signer, batchTag, additionalData, plain);
		const iv = nonce(epoch, BigInt(place.seq));
		const sealed = await crypto.subtle.encrypt(
			{ name: "AES-GCM", iv, additionalData },
			key,
			concat(signature, plain),
		);
		const head = new Uint8Array(5);
		head[0] = bodyTypes.group;
		new DataView(head.buffer).setUint32(1, epoch);
		return concat(head, new Uint8Array(sealed));
	}
}

/** A guest's end. */
export class GroupOpener {
	readonly #binding: Binding;
	readonly #verifier: CryptoKey;
	#epoch = 0;
	#key: CryptoKey | undefined;
	#next = 0;

	constructor(room: string, verifier: CryptoKey) {
		this.#binding = new Binding(room, bodyTypes.group);
		this.#verifier = verifier;
	}

	/** From message `next` on, this key is used. */
	async use(key: GroupKey, next: number): Promise<void> {
		if (key.epoch <= this.#epoch && this.#key)
			throw new RoomFault("epoch", "The host went back to an old key.");
		this.#key = await importGroup(key, "decrypt");
		this.#epoch = key.epoch;
		this.#next = Math.max(next, this.#next);
	}

	/** The number that the next message has to have. */
	get next(): number {
		return this.#next;
	}

	/** Gives what is inside, with the fault where messages before it are missing. Throws any other fault. */
	async open(envelope: Message): Promise<{ plain: Bytes; fault?: RoomFault }> {
		const { body, seq, stream } = envelope;
		if (body.length < 5 + signatureBytes)
			throw new RoomFault("malformed", "A message of the host is too short.");
		const epoch = new DataView(body.buffer, body.byteOffset).getUint32(1);
		if (!this.#key || epoch !== this.#epoch)
			throw new RoomFault("epoch", `Message ${seq} is of epoch ${epoch}, and ours is ${this.#epoch}.`);
		if (seq < this.#next) checkOrder(this.#next, seq);
		const place = { direction: "down", stream, peer: "", seq } as const;
		const additionalData = this.#binding.of(place, epoch);
		const parameters = { name: "AES-GCM", iv: nonce(epoch, BigInt(seq)), additionalData };
		const signed = await opened(crypto.subtle.decrypt(parameters, this.#key, body.slice(5)), seq);
		const [signature, plain] = [signed.slice(0, signatureBytes), signed.slice(signatureBytes)];
		if (!(await isSigned(this.#verifier, signature, batchTag, additionalData, plain)))
			throw new RoomFault("forged", `Message ${seq} is not signed by the host.`);
		const missing = seq - this.#next;
		this.#next = seq + 1;
		if (missing === 0) return { plain };
		return {
			plain,
			fault: new RoomFault("missing", `${missing} messages before message ${seq} are missing.`),
		};
	}
}

async function opened(opening: Promise<ArrayBuffer>, seq: number): Promise<Bytes> {
	try {
		return new Uint8Array(await opening);
	} catch {
		// WebCrypto says no more than that it failed.
		throw new RoomFault("forged", `Message ${seq} was changed, or is not from here.`);
	}
}

export interface PairOptions {
	room: string;
	stream: number;
	peer: string;
	/** The direction that this end sends in. */
	sends: Direction;
	seals: CipherKey;
	opens: CipherKey;
	/** The number of the next message that is expected. */
	next: number;
}

/** Between the host and one guest, after their handshake. The numbers are the nonces. */
export class Pair {
	readonly #options: PairOptions;
	readonly #binding: Binding;
	#next: number;

	constructor(options: PairOptions) {
		this.#options = options;
		this.#binding = new Binding(options.room, bodyTypes.pair);
		this.#next = options.next;
	}

	async seal(seq: number, plain: Bytes): Promise<Bytes> {
		const { stream, peer, sends, seals } = this.#options;
		const bound = this.#binding.of({ direction: sends, stream, peer, seq });
		return concat(Uint8Array.of(bodyTypes.pair), await seals.seal(BigInt(seq), bound, plain));
	}

	/** Throws the fault: after one, nothing that follows can be trusted to be complete. */
	async open({ seq, body }: Message): Promise<Bytes> {
		const { stream, peer, sends, opens } = this.#options;
		checkOrder(this.#next, seq);
		const direction = sends === "down" ? "up" : "down";
		const bound = this.#binding.of({ direction, stream, peer, seq });
		let plain: Bytes;
		try {
			plain = await opens.open(BigInt(seq), bound, body.slice(1));
		} catch {
			throw new RoomFault("forged", `Message ${seq} was changed, or is not from here.`);
		}
		this.#next = seq + 1;
		return plain;
	}
}
