/** What a client of a session elsewhere reads around the responses to its commands. */
import { expect, test } from "bun:test";

import type { EventFrame } from "./events.ts";
import { frameLines, type Frame } from "./frames.ts";
import { Live } from "./live.ts";
import { reconnectMs, RemoteSession } from "./remote-session.ts";
import { roomLimits } from "./room/index.ts";
import { retryMs } from "./room/relay-socket.ts";
import type { ConnectionEvents, Transport } from "./transport.ts";
import type { SessionFacts } from "./view.ts";

const epoch = "epoch";

function lines(seq: number, frame: Pick<Frame, "kind" | "body">): string[] {
	return frameLines({ epoch, seq, sessionId: "one", ...frame } as Frame);
}

const snapshot = lines(0, {
	kind: "snapshot",
	body: {
		cursor: { epoch, seq: 0 },
		facts: { session: { id: "one", cwd: "/", isTrusted: true } } as SessionFacts,
		tail: { leafId: null, entries: [], earlier: 0 },
		live: new Live().state(),
		clients: [],
	},
});

function notice(seq: number, message: string): string[] {
	return lines(seq, { kind: "event", body: { type: "notice", level: "info", message } });
}

function response(id: string, seq: number): string[] {
	return lines(seq, { kind: "response", body: { id, ok: true, data: {} } });
}

/** Everything that `answer` gives comes at once, as from one read of a socket; with `ends`, the end behind it. */
function played(answer: (id: string) => string[], { ends = false } = {}): Transport {
	let attempts = 0;
	return {
		async connect(_, events: ConnectionEvents) {
			const isFirst = attempts++ === 0;
			if (isFirst) queueMicrotask(() => snapshot.forEach(events.onLine));
			else await new Promise(() => {});
			return {
				rights: "control",
				send(line) {
					queueMicrotask(() => {
						answer((line as { id: string }).id).forEach(events.onLine);
						if (ends) events.onEnd(undefined);
					});
				},
				[Symbol.dispose]: () => {},
			};
		},
	};
}

function noticesOf(session: RemoteSession): { texts: string[]; until(count: number): Promise<void> } {
	const texts: string[] = [];
	const changed = Promise.withResolvers<void>();
	let least = Number.POSITIVE_INFINITY;
	session.subscribe((event: EventFrame) => {
		if (event.type === "notice") texts.push(event.message);
		if (texts.length >= least) changed.resolve();
	});
	return {
		texts,
		async until(count) {
			least = count;
			if (texts.length < count) await changed.promise;
		},
	};
}

test("who follows a session from a response on misses nothing of what came with it", async () => {
	const transport = played((id) => [
		...notice(1, "before"),
		...response(id, 1),
		...notice(2, "behind it"),
		...notice(3, "and behind that"),
	]);
	using session = await RemoteSession.join({ transport, name: "test", kinds: [] });
	await session.request("get_state", {});
	// A caller may have to wait for others that only pass the response on.
	for (let hops = 0; hops < 50; hops++) await Promise.resolve();
	const notices = noticesOf(session);
	await notices.until(2);
	expect(notices.texts).toEqual(["behind it", "and behind that"]);
});

test("several responses at once are each followed by what came behind them, in order", async () => {
	const ids: string[] = [];
	const transport = played((id) => {
		ids.push(id);
		if (ids.length < 2) return [];
		return [...response(ids[0] ?? "", 0), ...notice(1, "one"), ...response(id, 1), ...notice(2, "two")];
	});
	using session = await RemoteSession.join({ transport, name: "test", kinds: [] });
	const first = session.request("get_state", {}).then(() => noticesOf(session));
	const second = session.request("get_state", {}).then(() => noticesOf(session));
	const [fromFirst, fromSecond] = await Promise.all([first, second]);
	await fromSecond.until(1);
	expect(fromFirst.texts).toEqual(["one", "two"]);
	expect(fromSecond.texts).toEqual(["two"]);
});

test("a session that says goodbye right behind a response has ended, and is not looked for", async () => {
	const bye = '{"type":"bye","comesBack":false}';
	const transport = played((id) => [...response(id, 0), bye], { ends: true });
	using session = await RemoteSession.join({ transport, name: "test", kinds: [] });
	await session.request("get_state", {});
	expect(session.state).toEqual({ kind: "ended", reason: "The session has ended." });
});

test("in the first minute hosts and guests of a room try again at least every five seconds, and more seldom later", () => {
	const guest = (attempt: number): number => reconnectMs(attempt, roomLimits.retryMostMs);
	for (const wait of [guest, retryMs]) {
		let waitedMs = 0;
		let attempt = 0;
		for (; waitedMs < 30_000; attempt++) {
			const ms = wait(attempt);
			expect(ms).toBeLessThanOrEqual(5000);
			waitedMs += ms;
		}
		expect(wait(attempt + 20)).toBeGreaterThanOrEqual(22_500);
	}
});
