/** What a worker learns of a session that has worked before it could be joined. */
import { expect, test } from "bun:test";

import { Live } from "@tau/wire/remote";

import { SessionFollower, type FollowerParts } from "./session-follower.ts";

test("a session whose budget was used up before it was joined has not done its task", () => {
	const live = new Live();
	live.apply({ type: "budget_exhausted", limit: "cost", message: "The budget of $1 is used up ($1.20)." });
	const nothing = { [Symbol.dispose]() {} };
	const client = {
		view: { facts: { session: { id: "one" } }, live: live.state() },
		subscribe: () => nothing,
		onReset: () => nothing,
	};
	using follower = new SessionFollower({
		session: { client },
		lease: { write: async () => {} },
		progress: { cost: 0, questions: [] },
		stored: 0,
		answers: new Map(),
	} as unknown as FollowerParts);
	expect(follower.obstacle).toEqual({ problem: "The budget of $1 is used up ($1.20).", mayRetry: false });
});
