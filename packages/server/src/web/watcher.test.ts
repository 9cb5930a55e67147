/** What browsers are told while no page is open. */
import { expect, test } from "bun:test";

import type { PushMessage } from "@tau/web/push";

import { changeOf, Watcher } from "./watcher.ts";

test("a new question and the end of a run are told, once each", () => {
	const idle = { waiting: 0, isBusy: false };
	const busy = { waiting: 0, isBusy: true };
	const asking = { waiting: 1, isBusy: true };
	expect(changeOf(undefined, idle)).toBeUndefined();
	expect(changeOf(idle, busy)).toBeUndefined();
	expect(changeOf(busy, asking)).toBe("waiting");
	expect(changeOf(asking, asking)).toBeUndefined();
	expect(changeOf(asking, { waiting: 2, isBusy: true })).toBe("waiting");
	expect(changeOf(asking, busy)).toBeUndefined();
	expect(changeOf(busy, idle)).toBe("ended");
	expect(changeOf(idle, idle)).toBeUndefined();
	// One that waits since before anybody wanted to be told.
	expect(changeOf(undefined, asking)).toBe("waiting");
});

test("a question of a task elsewhere is told once, and again when there are more", async () => {
	const sent: PushMessage[] = [];
	const pushed = Promise.withResolvers<void>();
	let looks = 0;
	const pusher = {
		isWanted: async () => true,
		async send(message: PushMessage) {
			sent.push(message);
			if (sent.length === 2) pushed.resolve();
		},
	};
	using _ = new Watcher(
		pusher,
		async () => [{ id: "one", sessionId: "elsewhere", questions: ++looks < 3 ? 1 : 2 }],
		5,
	);
	await pushed.promise;
	expect(sent).toEqual([
		{ kind: "waiting", task: "one" },
		{ kind: "waiting", task: "one" },
	]);
	expect(looks).toBe(3);
});
