/** What a worker learns of a session that has worked before it could be joined. */
import { expect, test } from "bun:test";

import { Live } from "@tau/wire/remote";

import type { Lease } from "../store/store.ts";
import type { Progress } from "../task.ts";
import { SessionFollower, type FollowerParts } from "./session-follower.ts";

const over = {
	type: "budget_exhausted",
	limit: "cost",
	message: "The budget of $1 is used up ($1.20).",
} as const;

/** Joins a session that says nothing more; `reports` is what the store is told. */
function follow(facts: object, live: Live): { follower: SessionFollower; reports: Progress[] } {
	const nothing = { [Symbol.dispose]() {} };
	const reports: Progress[] = [];
	const client = {
		view: { facts: { session: { id: "one" }, ...facts }, live: live.state() },
		subscribe: () => nothing,
		onReset: () => nothing,
	};
	const follower = new SessionFollower({
		session: { client },
		store: { report: async (_: Lease, progress: Progress) => reports.push(progress) },
		lease: { write: async (work: (lease: Lease) => Promise<boolean>) => void (await work({} as Lease)) },
		progress: { cost: 0.5, earlierCost: 0.5, questions: [] },
		stored: 0,
		answers: new Map(),
	} as unknown as FollowerParts);
	return { follower, reports };
}

test("a session whose budget was used up before it was joined has not done its task", () => {
	const live = new Live();
	live.apply(over);
	using follower = follow({}, live).follower;
	expect(follower.obstacle).toEqual({ problem: over.message, mayRetry: false });
});

test("regression: what a session has cost before it was joined is reported while the model is silent", () => {
	const { follower, reports } = follow({ usage: { cost: 0.25 } }, new Live());
	using _ = follower;
	expect(reports).toMatchObject([{ sessionId: "one", cost: 0.75 }]);
});
