/** What is sealed for one place opens nowhere else, and what is wrong with a message has a name. */
import { describe, expect, test } from "bun:test";

import { randomBytes, utf8, type Bytes } from "./bytes.ts";
import { identityCard, linkKeys, newIdentity, readIdentityCard, verifier } from "./keys.ts";
import type { Message } from "./message.ts";
import { CipherKey } from "./noise.ts";
import { readRefusal, writeRefusal } from "./refusal.ts";
import { GroupOpener, GroupSealer, Pair, type FaultKind, type RoomFault } from "./seal.ts";

const peer = "AAAAAAAAAAE";
const plain = utf8("what the host says");

async function group() {
	const { identity } = await newIdentity();
	const key = { epoch: 1, bytes: randomBytes(32) };
	const sealer = new GroupSealer(identity.id, identity.signer);
	await sealer.use(key);
	const open = async (room = identity.id): Promise<GroupOpener> => {
		const opener = new GroupOpener(room, await verifier(identity.keys.signing));
		await opener.use(key, 1);
		return opener;
	};
	const message = async (seq: number, stream = 7): Promise<Message> => ({
		direction: "down",
		stream,
		peer: "",
		seq,
		body: await sealer.seal({ stream, seq }, plain),
	});
	return { identity, key, sealer, open, message };
}

async function faultOf(work: Promise<unknown>): Promise<FaultKind | undefined> {
	try {
		await work;
		return undefined;
	} catch (error) {
		return (error as RoomFault).kind;
	}
}

describe("from the host to all", () => {
	test("a message opens once, in its place", async () => {
		const { open, message } = await group();
		const opener = await open();
		expect(await opener.open(await message(1))).toEqual({ plain });
		expect(await faultOf(opener.open(await message(1)))).toBe("repeated");
		expect(await opener.open(await message(2))).toEqual({ plain });
		const { fault } = await opener.open(await message(5));
		expect(fault?.kind).toBe("missing");
		expect(fault?.message).toBe("2 messages before message 5 are missing.");
		expect(await faultOf(opener.open(await message(4)))).toBe("repeated");
	});

	test.each<[string, (message: Message) => Message]>([
		["another number", (message) => ({ ...message, seq: message.seq + 1 })],
		["another life of the host", (message) => ({ ...message, stream: 8 })],
		["a changed byte", (message) => ({ ...message, body: changed(message.body, 30) })],
		["its end cut off", (message) => ({ ...message, body: message.body.slice(0, -1) })],
	])("with %s it does not open", async (_, change) => {
		const { open, message } = await group();
		expect(await faultOf((await open()).open(change(await message(1))))).toBe("forged");
	});

	test("in another room it does not open", async () => {
		const { open, message } = await group();
		const other = await newIdentity();
		expect(await faultOf((await open(other.identity.id)).open(await message(1)))).toBe("forged");
	});

	test("a guest that has the key of all cannot speak for the host", async () => {
		const { identity, key, open } = await group();
		const guest = await newIdentity();
		const forger = new GroupSealer(identity.id, guest.identity.signer);
		await forger.use(key);
		const body = await forger.seal({ stream: 7, seq: 1 }, plain);
		const opener = await open();
		const message: Message = { direction: "down", stream: 7, peer: "", seq: 1, body };
		expect(await faultOf(opener.open(message))).toBe("forged");
	});

	test("after a new epoch the old key neither opens nor is accepted", async () => {
		const { sealer, open, message, key } = await group();
		const [opener, revoked] = [await open(), await open()];
		const old = await message(1);
		const next = { epoch: 2, bytes: randomBytes(32) };
		await sealer.use(next);
		await opener.use(next, 2);
		expect(await faultOf(opener.open(old))).toBe("epoch");
		expect(await faultOf(revoked.open(await message(2)))).toBe("epoch");
		expect(await faultOf(opener.use(key, 2))).toBe("epoch");
		expect(await opener.open(await message(2))).toEqual({ plain });
	});
});

describe("between the host and one guest", () => {
	async function pair() {
		const [up, down] = [await CipherKey.of(randomBytes(32)), await CipherKey.of(randomBytes(32))];
		const { identity } = await newIdentity();
		const both = { room: identity.id, stream: 7, peer, next: 1 };
		return {
			host: new Pair({ ...both, sends: "down", seals: down, opens: up }),
			guest: new Pair({ ...both, sends: "up", seals: up, opens: down }),
		};
	}
	const up = (seq: number, body: Bytes): Message => ({ direction: "up", stream: 7, peer, seq, body });

	test("repeats, gaps and changes are told apart", async () => {
		const { host, guest } = await pair();
		const first = up(1, await guest.seal(1, plain));
		expect(await host.open(first)).toEqual(plain);
		expect(await faultOf(host.open(first))).toBe("repeated");
		expect(await faultOf(host.open(up(3, await guest.seal(3, plain))))).toBe("missing");
		expect(await faultOf(host.open(up(2, changed(await guest.seal(2, plain), 3))))).toBe("forged");
		expect(await host.open(up(2, await guest.seal(2, plain)))).toEqual(plain);
	});

	test("what the guest sent does not come back to it as the host's", async () => {
		const { guest } = await pair();
		const own = await guest.seal(1, plain);
		expect(await faultOf(guest.open({ ...up(1, own), direction: "down" }))).toBe("forged");
	});
});

test("a relay cannot hand out its own keys as the host's, nor mix those of two hosts", async () => {
	const [one, two] = [(await newIdentity()).identity, (await newIdentity()).identity];
	const card = await identityCard(one);
	const other = await identityCard(two);
	expect(await readIdentityCard(one.id, card)).toEqual(one.keys);
	expect(await readIdentityCard(two.id, card)).toBeUndefined();
	const mixed = card.slice();
	mixed.set(other.subarray(32), 32);
	expect(await readIdentityCard(one.id, mixed)).toBeUndefined();
	expect(await readIdentityCard(one.id, card.slice(1))).toBeUndefined();
});

test("the secret of a link gives its name and its key, and its parts give others", async () => {
	const secret = randomBytes(48);
	const [all, view, elsewhere] = [
		await linkKeys("room-a-1234", secret),
		await linkKeys("room-a-1234", secret.slice(0, 32)),
		await linkKeys("room-b-1234", secret),
	];
	expect(new Set([all.id, view.id, elsewhere.id]).size).toBe(3);
	expect(all.id).not.toContain(all.psk.toHex().slice(0, 8));
});

test("a refusal is the host's, and the answer to this question", async () => {
	const { identity } = await newIdentity();
	const key = await verifier(identity.keys.signing);
	const asked = randomBytes(60);
	const refusal = await writeRefusal(identity.signer, asked, "It has expired.");
	expect(await readRefusal(key, asked, refusal)).toBe("It has expired.");
	expect(await readRefusal(key, randomBytes(60), refusal)).toBeUndefined();
	expect(await readRefusal(key, asked, changed(refusal, 70))).toBeUndefined();
});

function changed(bytes: Bytes, at: number): Bytes {
	const copy = bytes.slice();
	copy[at] = (copy[at] ?? 0) ^ 1;
	return copy;
}
