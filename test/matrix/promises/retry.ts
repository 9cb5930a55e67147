/** Promise 16: the user can retry after a failed answer. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { lastRequest, openHome, conversationIn } from "../home.ts";
import type { Row } from "../row.ts";

async function checkRetry(client: Client): Promise<void> {
	await using home = await openHome({
		settings: "retry:\n  enabled: false\n",
		steps: [{ fault: { http: 500 } }, "Works now.", "Still there."],
	});
	await using session = await client.open(home);
	await session.prompt("first");
	await session.retry();
	const retried = conversationIn(lastRequest(home));
	expect(retried.match(/first/g)).toHaveLength(1);
	await session.prompt("second");
	expect(conversationIn(lastRequest(home))).toContain("Works now.");
	expect(home.played.requests).toHaveLength(3);
}

export const retry: readonly Row[] = [
	{
		id: "retry/failed",
		title: "a failed turn can be retried, and the conversation continues from the new answer",
		needs: ["retry"],
		check: checkRetry,
	},
];
