/** Many guests of one real host, and what it costs to come back after an hour. */
import { expect, test } from "bun:test";

import { startRelay } from "@tau/relay";
import {
	Invitations,
	newIdentity,
	readLink,
	RoomHost,
	roomTransport,
	webSocketRelay,
	type ConnectRelay,
} from "@tau/wire/room";
import type { Connection } from "@tau/wire/remote";

import { share } from "./room.ts";

async function until(isTrue: () => boolean, what: string): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > deadline) throw new Error(`not seen: ${what}`);
		await Bun.sleep(10);
	}
}

test("64 guests of one terminal read an answer, one more is told that the room is full, and the host types on", async () => {
	await using shared = await share({ steps: ["An answer for sixty-four."] });
	const link = readLink(shared.link, undefined);
	const lines: string[][] = [];
	const join = async (at: number): Promise<Connection> => {
		const own: string[] = (lines[at] = []);
		return await roomTransport({ link }).connect(
			{ client: { id: `guest ${at}`, name: `Guest ${at}`, kinds: [] } },
			{ signal: AbortSignal.timeout(60_000), onLine: (line) => void own.push(line), onEnd() {} },
		);
	};
	const guests: Connection[] = [];
	for (let at = 0; at < 64; at += 8)
		guests.push(...(await Promise.all(Array.from({ length: 8 }, (_, each) => join(at + each)))));
	const late = await join(64).catch((error: unknown) => String(error));
	expect(String(late)).toContain("The room is full.");
	await shared.host.until("64 guests");
	shared.host.type("a question for all\r");
	await shared.host.until("An answer for sixty-four.");
	const hasIt = (own: readonly string[]): boolean =>
		own.some((line) => line.includes("An answer for sixty-four."));
	await until(() => lines.slice(0, 64).every(hasIt), "the answer, by every guest");
	for (const guest of guests) guest[Symbol.dispose]();
}, 180_000);

test("after an hour asleep a guest gets what it missed for at most 1.2 times its bytes", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	const address = relay.url.replace("http", "ws");
	let now = Date.now();
	const { identity } = await newIdentity();
	const invitations = await Invitations.of(identity.id, []);
	const { secret } = await invitations.create({ name: "one", right: "view" });
	/** Deltas as a model writes them, with a compaction among them. */
	const frames: string[] = [];
	const say = (kind: string, text: string): string => {
		const frame = JSON.stringify({ epoch: "e", seq: frames.length, sessionId: "s", kind, body: { text } });
		frames.push(frame);
		return frame;
	};
	say("snapshot", "s".repeat(50_000));
	const host = new RoomHost({
		relay: address,
		identity,
		invitations,
		epoch: 0,
		hostName: "host",
		now: () => now,
		session: {
			cursor: () => ({ epoch: "e", seq: frames.length - 1 }),
			admit: async () => true,
			join(guest, onLines) {
				void onLines(frames.slice(guest.from ? guest.from.seq + 1 : 0));
				return { take() {}, resume() {}, [Symbol.dispose]() {} };
			},
		},
		events: { onState() {}, onJoined() {}, onLeft() {}, onFault() {}, onChange() {} },
	});
	await host.start();
	let bytes = 0;
	const counting: ConnectRelay = (at, room, role, events) => {
		const connection = webSocketRelay(at, room, role, {
			onOpen: () => events.onOpen(),
			onMessage: (message) => {
				bytes += message.length;
				events.onMessage(message);
			},
			onControl: (control) => {
				bytes += JSON.stringify(control).length;
				events.onControl(control);
			},
			onEnd: (end) => events.onEnd(end),
		});
		return {
			send: (message) => {
				bytes += message.length;
				return connection.send(message);
			},
			control: (control) => {
				bytes += JSON.stringify(control).length;
				connection.control(control);
			},
			[Symbol.dispose]: () => connection[Symbol.dispose](),
		};
	};
	const got: string[] = [];
	const link = readLink(`${address}/r/${identity.id}#${secret}`, undefined);
	const join = async (from?: { epoch: string; seq: number }): Promise<Connection> =>
		await roomTransport({ link, connect: counting }).connect(
			{ client: { id: "g", name: "Guest", kinds: [] }, ...(from ? { from } : {}) },
			{ signal: undefined, onLine: (line) => void got.push(line), onEnd() {} },
		);
	const first = await join();
	await until(() => got.length === 1, "the snapshot");
	first[Symbol.dispose]();
	await until(() => host.guests.length === 0, "that it is asleep");
	const before = frames.length;
	// Small deltas, and a compaction, while the laptop is closed.
	now += 3_600_000;
	for (let at = 0; at < 600; at++)
		void host.broadcast([
			say(at === 300 ? "entry" : "event", at === 300 ? "c".repeat(4000) : "delta ".repeat(20)),
		]);
	const missed = frames.slice(before).reduce((sum, frame) => sum + frame.length, 0);
	bytes = 0;
	using _ = await join({ epoch: "e", seq: before - 1 });
	await until(() => got.length === frames.length, "what was missed");
	expect(got).toEqual(frames);
	expect(bytes / missed).toBeLessThanOrEqual(1.2);
	await host.close("over", true);
}, 120_000);
