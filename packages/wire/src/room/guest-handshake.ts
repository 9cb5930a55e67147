/** A guest's part of the handshake: it checks whose keys it was given, and proves that it has the link. */
import type { JoinRequest } from "../greeting.ts";
import { concat, utf8, type Bytes } from "./bytes.ts";
import { readIdentityCard, verifier, type LinkKeys } from "./keys.ts";
import { bodyTypes, type Message } from "./message.ts";
import { GuestHandshake } from "./noise.ts";
import { prologueOf } from "./prologue.ts";
import { readRefusal } from "./refusal.ts";
import { GroupOpener, Pair, RoomFault } from "./seal.ts";

export interface HandshakeOptions {
	room: string;
	link: LinkKeys;
	stream: number;
	peer: string;
	/** What came as the keys of the host. */
	card: Bytes;
	hello: JoinRequest;
}

/** The host knows who asks. */
export interface Introduction {
	/** The body of our message. */
	readonly message: Bytes;
	/** Takes the host's answer. Throws a fault where it is none. */
	finish(answer: Message): Promise<Introduced>;
	/** Undefined where the host did not write it. */
	readRefusal(bytes: Bytes): Promise<string | undefined>;
}

/** Both ends have keys that nobody else has. */
export interface Introduced {
	readonly pair: Pair;
	readonly group: GroupOpener;
}

/** Throws a fault where the keys are not those of the room. */
export async function beginHandshake(options: HandshakeOptions): Promise<Introduction> {
	const { room, link, stream, peer, card, hello } = options;
	const keys = await readIdentityCard(room, card);
	if (!keys) throw new RoomFault("forged", "The relay gave us the keys of another host.");
	const prologue = prologueOf(room, link.id, stream, peer);
	const begun = await GuestHandshake.begin(
		{ prologue, host: keys.exchange, psk: link.psk },
		utf8(JSON.stringify(hello)),
	);
	const id = utf8(link.id);
	const message = concat(Uint8Array.of(bodyTypes.begin, id.length), id, begun.message);
	const check = await verifier(keys.signing);
	return {
		message,
		async finish({ body, seq }) {
			const { ciphers } = await begun.handshake.finish(body.slice(1)).catch(() => {
				throw new RoomFault("forged", "The answer to our handshake is not the host's.");
			});
			return {
				pair: new Pair({
					room,
					stream,
					peer,
					sends: "up",
					seals: ciphers.up,
					opens: ciphers.down,
					next: seq + 1,
				}),
				group: new GroupOpener(room, check),
			};
		},
		readRefusal: (bytes) => readRefusal(check, message, bytes),
	};
}
