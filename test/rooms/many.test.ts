/** Many guests of one real host, and what it costs to come back after an hour. */
import { expect, test } from "bun:test";

import { startRelay } from "@tau/relay";
import { readLink, roomTransport, webSocketRelay, type ConnectRelay } from "@tau/wire/room";
import type { Connection } from "@tau/wire/remote";

import { FramesGuest, FramesRoom, until } from "./frames-room.ts";
import { guest as joinAs, share } from "./room.ts";

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
	for (const each of guests) each[Symbol.dispose]();
	// Who joins then sees the session, and not a screen of those who came and went.
	await shared.host.until("0 guests");
	await using ann = await joinAs(shared.link, { name: "Ann" });
	await ann.until("An answer for sixty-four.");
	await ann.until("2 here");
	expect(ann.screen()).not.toContain("Guest 63");
}, 180_000);

test("after an hour asleep a guest gets what it missed for at most 1.2 times its bytes", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	const address = relay.url.replace("http", "ws");
	let now = Date.now();
	await using shared = await FramesRoom.open(address, { now: () => now });
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
	using guest = new FramesGuest(shared, counting);
	const first = await guest.join();
	await until(() => guest.frames.length === 1, "the snapshot");
	first[Symbol.dispose]();
	await until(() => shared.host.guests.length === 0, "that it is asleep");
	// Small deltas, and a compaction, while the laptop is closed.
	now += 3_600_000;
	for (let at = 0; at < 600; at++)
		shared.say(at === 300 ? "entry" : "event", at === 300 ? "c".repeat(4000) : "delta ".repeat(20));
	const missed = shared.frames.slice(1).reduce((sum, frame) => sum + frame.length, 0);
	bytes = 0;
	using _ = await guest.join();
	await until(() => guest.frames.length === shared.frames.length, "what was missed");
	expect(guest.frames).toEqual(shared.frames);
	expect(bytes / missed).toBeLessThanOrEqual(1.2);
});
