/** After a rejection the next request uses another credential; unrelated errors do not affect the credential. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { CredentialStore, type Outcome } from "@tau/ai";
import { playModel, type Scenario } from "@tau/ai/testing";

import { testModel, testSession } from "../../../../test/support/session.ts";
import { credentialFeedback } from "./credential-feedback.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-feedback-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const cases: [string, Scenario["steps"][number], Outcome[]][] = [
	[
		"an answer is a success, with what it used",
		"fine",
		[{ kind: "ok", spent: { model: "played-1", usage: expect.objectContaining({ input: 40, output: 1 }) } }],
	],
	[
		"a rate limit is reported with its wait",
		{ fault: { http: 429, retryAfter: 7 } },
		[{ kind: "rate_limit", retryAfterMs: 7000 }],
	],
	[
		"a rejected key is reported with its status",
		{ fault: { http: 401 } },
		[{ kind: "auth", status: 401, reason: expect.any(String) }],
	],
	["a busy server reports nothing", { fault: { http: 529 } }, []],
	[
		"a torn answer reports nothing",
		{ answer: { blocks: [{ text: "half of it", chunks: 5 }] }, fault: { truncated: true } },
		[],
	],
];
test.each(cases)("%s", async (_, step, outcomes) => {
	await using played = await playModel({ steps: [step] });
	const received: Outcome[] = [];
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [
			credentialFeedback((provider, outcome) => void (provider === "played" && received.push(outcome))),
		],
	});
	await session.prompt({ text: "go" });
	expect(received).toEqual(outcomes);
});

test.each([
	["is in cooldown", { fault: { http: 429, retryAfter: 60 } }],
	["is rejected", { fault: { http: 401 } }],
] as [string, Scenario["steps"][number]][])("a key that %s is replaced by the next one", async (_, first) => {
	await using played = await playModel({ steps: [first, "fine", "fine"] });
	using store = await CredentialStore.open({ path: join(home, "agent.db"), env: {}, onNotice: () => {} });
	for (const access of ["first-stored-key", "second-stored-key"])
		await store.add("played", { kind: "api_key", access });
	let used = "";
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		credentials: async ({ provider }) => {
			const got = await store.resolve(provider, { sessionId: "s" });
			used = got?.credentialId ?? "";
			return got ? { apiKey: got.apiKey } : {};
		},
		behaviors: [credentialFeedback((provider, outcome) => store.report(provider, used, outcome))],
	});
	for (let turn = 0; turn < 3; turn++) await session.prompt({ text: "go" });
	expect(played.requests.map(({ headers }) => headers["x-api-key"])).toEqual([
		"first-stored-key",
		"second-stored-key",
		"second-stored-key",
	]);
});
