/** Who is let into a room: no more guests than a link is for, and nobody whom the host has just sent away. */
import { expect, test } from "bun:test";

import type { Connection } from "../transport.ts";
import { fromBase64url } from "./bytes.ts";
import { roomTransport } from "./guest.ts";
import { RoomHost } from "./host.ts";
import { HostileRelay } from "./hostile-relay.ts";
import { Invitations, type LinkRight } from "./invitations.ts";
import { newIdentity } from "./keys.ts";

const snapshot = '{"epoch":"e","seq":0,"sessionId":"s","kind":"snapshot","body":{}}';

/** A room with one link; the relay does its work. */
async function openRoom(link: { right: LinkRight; uses?: number; expiresAt?: number }) {
	const relay = await HostileRelay.create();
	const { identity } = await newIdentity();
	const invitations = await Invitations.of(identity.id, []);
	const { secret } = await invitations.create({ name: "one", ...link });
	const asked: string[] = [];
	const taken: string[] = [];
	const moves: string[] = [];
	const clock = { now: Date.now() };
	let isAdmitting = true;
	let members = 0;
	const host = new RoomHost({
		relay: "wss://relay.test",
		identity,
		invitations,
		epoch: 0,
		hostName: "host",
		connect: relay.connect,
		now: () => clock.now,
		session: {
			cursor: () => ({ epoch: "e", seq: 0 }),
			async admit({ name }) {
				asked.push(name);
				return isAdmitting;
			},
			join(_, onLines) {
				members++;
				void onLines([snapshot]);
				const take = ({ id }: Record<string, unknown>): void => void taken.push(String(id));
				return { take, resume() {}, [Symbol.dispose]: () => void members-- };
			},
		},
		events: {
			onState() {},
			onJoined: (_, isBack) => void moves.push(isBack ? "back" : "joined"),
			onLeft: (_, reason) => void moves.push(reason ?? "left"),
			onFault() {},
			onChange() {},
		},
	});
	await host.start();
	return {
		host,
		moves,
		clock,
		invitations,
		asked,
		taken,
		get members() {
			return members;
		},
		refuseAll: () => void (isAdmitting = false),
		/** Resolves when the guest is in, and rejects with the reason if it is not. */
		join: (id: string, onEnd: (reason: string | undefined) => void = () => {}): Promise<Connection> =>
			roomTransport({
				link: {
					relay: "wss://relay.test",
					room: identity.id,
					secret: fromBase64url(secret) ?? new Uint8Array(0),
				},
				connect: relay.connect,
				onFault() {},
			}).connect(
				{ client: { id, name: id, kinds: [] } },
				{ signal: AbortSignal.timeout(60_000), onLine() {}, onEnd },
			),
		[Symbol.asyncDispose]: () => host.close("over", true),
	};
}

test("a link for one guest lets one in, also when many come at the same moment", async () => {
	await using room = await openRoom({ right: "prompt", uses: 1 });
	const joins = await Promise.allSettled(["a", "b", "c", "d"].map((id) => room.join(id)));
	expect(joins.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
	expect(String(joins.find((join) => join.status === "rejected")?.reason)).toContain("as often as it may be");
	expect(room.host.guests).toHaveLength(1);
});

test("a guest that was removed is asked about again, and one that only lost its connection is not", async () => {
	await using room = await openRoom({ right: "view" });
	(await room.join("ann"))[Symbol.dispose]();
	await room.join("ann");
	expect(room.asked).toEqual(["ann"]);
	const [ann] = room.host.guests;
	await room.host.removeGuest(ann?.id ?? "", "The host has removed you.");
	room.refuseAll();
	await expect(room.join("ann")).rejects.toThrow("did not let you in");
	expect(room.asked).toEqual(["ann", "ann"]);
});

test("a guest who was said to have left is said to have joined when it comes back", async () => {
	await using room = await openRoom({ right: "view" });
	const guest = await room.join("ann");
	// The same one from elsewhere: the first connection was dead, and nobody was told that it left.
	await room.join("ann");
	guest[Symbol.dispose]();
	while (room.host.guests.length > 1) await Bun.sleep(1);
	expect(room.moves).toEqual(["joined", "reconnecting", "back"]);
	const again = await room.join("ann");
	again[Symbol.dispose]();
	while (room.host.guests.length > 0) await Bun.sleep(1);
	await room.join("ann");
	expect(room.moves.slice(3)).toEqual(["reconnecting", "back", "left", "joined"]);
});

test("a link whose time is over lets nobody in, and its guests leave and read why", async () => {
	await using room = await openRoom({ right: "prompt", expiresAt: Date.now() + 30_000 });
	const ended = Promise.withResolvers<string | undefined>();
	await room.join("ann", ended.resolve);
	room.clock.now += 31_000;
	await expect(room.join("bob")).rejects.toThrow("This link has expired. Ask the host for another one.");
	// A host looks every ten seconds.
	expect(await ended.promise).toBe("This link has expired.");
	expect(room.host.guests).toEqual([]);
	await expect(room.join("bob")).rejects.toThrow(/does not (?:accept|know) this link/);
}, 60_000);

test("a link that is revoked while its guest is welcomed lets nobody in", async () => {
	await using room = await openRoom({ right: "prompt" });
	const { use } = room.invitations;
	// The last thing before the welcome is sealed.
	room.invitations.use = (...args) => {
		use.apply(room.invitations, args);
		room.invitations.revoke("one");
		void room.host.dropRevoked("The host has revoked this link.");
	};
	await room.join("ann").catch(() => {});
	await room.host.dropRevoked("The host has revoked this link.");
	expect([room.host.guests.length, room.members]).toEqual([0, 0]);
});

test.each([
	["view", false],
	["comment", false],
	["prompt", true],
] as const)("a guest that may %s and sends two megabytes in pieces is taken: %p", async (right, isTaken) => {
	await using room = await openRoom({ right });
	const ended = Promise.withResolvers<string | undefined>();
	const guest = await room.join("ann", ended.resolve);
	void guest.send({ id: "large", type: "prompt", message: "x".repeat(2 * 1024 * 1024) });
	void guest.send({ id: "after", type: "get_state" });
	while (room.taken.length < 2 && room.host.guests.length > 0) await Bun.sleep(1);
	expect(room.taken).toEqual(isTaken ? ["large", "after"] : []);
	if (!isTaken) expect(await ended.promise).toContain("too large");
});

test("unfinished messages of several guests are bounded together", async () => {
	await using room = await openRoom({ right: "prompt" });
	const ends: (string | undefined)[] = [];
	const guests = await Promise.all(
		["a", "b", "c"].map((id) => room.join(id, (reason) => void ends.push(reason))),
	);
	// Each alone may send as much.
	const message = "x".repeat(48 * 1024 * 1024);
	for (const [at, guest] of guests.entries()) void guest.send({ id: `${at}`, type: "prompt", message });
	while (room.taken.length < room.host.guests.length) await Bun.sleep(1);
	expect(room.taken).toHaveLength(2);
	expect(ends).toEqual([expect.stringContaining("too large")]);
});
