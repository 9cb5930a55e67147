/** The status shows which credential is used and why others are not, without secrets. */
import { describe, expect, test } from "bun:test";

import type { CredentialSummary } from "@tau/ai";

import { testCredential as stored } from "../../../../../../test/support/credentials.ts";
import { statusRows } from "./status.ts";

const now = Date.parse("2026-01-02T03:04:05Z");

describe("a stored credential", () => {
	const cases: [string, Partial<CredentialSummary>, object][] = [
		[
			"is ready while it lasts",
			{ expiresAt: now + 1000, account: "ada" },
			{ kind: "login", account: "ada", state: "ready", expires: "2026-01-02T03:04:06.000Z" },
		],
		["is shown as a key if it is one", { kind: "api_key" }, { kind: "key", state: "ready", from: "stored" }],
		["renews itself when it has expired", { expiresAt: now - 1 }, { state: "renews" }],
		[
			"needs a login when it cannot",
			{ expiresAt: now - 1, renewable: false },
			{ state: "refused", note: "expired; run tau login anthropic" },
		],
		[
			"rests until a time",
			{ restsUntil: now + 60_000 },
			{ state: "resting", note: "until 2026-01-02T03:05:05.000Z" },
		],
		[
			"says why it is rejected and what to do",
			{ refused: "unknown key" },
			{ state: "refused", note: "unknown key; run tau login anthropic" },
		],
	];
	test.each(cases)("%s", (_, facts, row) => {
		expect(statusRows({ stored: [stored(facts)], env: {}, now })).toEqual([expect.objectContaining(row)]);
	});
});

describe("a variable", () => {
	test("is used if nothing is stored", () => {
		expect(statusRows({ stored: [], env: { GROQ_API_KEY: "gsk_secret" }, now })).toEqual([
			{ provider: "groq", kind: "key", state: "ready", from: "GROQ_API_KEY" },
		]);
	});

	test("ranks after a stored credential, and after a stronger variable", () => {
		const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_OAUTH_TOKEN: "b" };
		expect(
			statusRows({ stored: [stored()], env, now }).map(({ from, state, note }) => [from, state, note]),
		).toEqual([
			["stored", "ready", undefined],
			["ANTHROPIC_OAUTH_TOKEN", "second", "the stored credential is used first"],
			["ANTHROPIC_API_KEY", "second", "the stored credential is used first"],
		]);
	});

	test("is used if the stored credential is rejected", () => {
		const rows = statusRows({ stored: [stored({ refused: "no" })], env: { ANTHROPIC_API_KEY: "a" }, now });
		expect(rows.map(({ state }) => state)).toEqual(["refused", "ready"]);
	});

	test("comes before a key in a file, which is shown with its path", () => {
		const files = new Map([
			["groq", "/home/ada/.tau/agent/models.yml"],
			["mistral", "/home/ada/.pi/agent/auth.json"],
		]);
		const rows = statusRows({ stored: [], env: { HOME: "/home/ada", GROQ_API_KEY: "a" }, files, now });
		expect(rows.map(({ provider, from, state, note }) => [provider, from, state, note])).toEqual([
			["groq", "GROQ_API_KEY", "ready", undefined],
			["groq", "~/.tau/agent/models.yml", "second", "GROQ_API_KEY is used first"],
			["mistral", "~/.pi/agent/auth.json", "ready", undefined],
		]);
	});

	test("is never shown itself", () => {
		expect(
			JSON.stringify(statusRows({ stored: [], env: { GROQ_API_KEY: "gsk_secret" }, now })),
		).not.toContain("gsk_secret");
	});
});
