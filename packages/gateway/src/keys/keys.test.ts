/** What a key may use: limits by the minute, whose clock the test sets, and requests that come at the same moment. */
import { noUsage, type Usage } from "@tau/ai";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Keys, readRights, SqliteLedger, type Admission, type MostUse, type RightsText } from "./index.ts";

const minuteMs = 60_000;
const most: MostUse = { cost: 0.01, tokens: 400 };
const used = (input: number): Usage => ({ ...noUsage(), input });

/** A key and its clock, at the beginning of a minute. */
async function keyWith(rights: RightsText) {
	const directory = mkdtempSync(join(tmpdir(), "tau-keys-"));
	const ledger = new SqliteLedger(join(directory, "keys.db"));
	const clock = { now: Date.UTC(2030, 0, 1) };
	const keys = new Keys(ledger, () => clock.now);
	const { row } = await keys.create(readRights(rights, clock.now));
	const admit = (): ReturnType<Keys["admit"]> => keys.admit(row, "any/model", most);
	return {
		clock,
		admit,
		async pass(tokens: number): Promise<void> {
			const admission = await admit();
			if ("kind" in admission) throw new Error(admission.message);
			await keys.charge(admission, used(tokens));
		},
		charge: (admission: Admission, tokens: number) => keys.charge(admission, used(tokens)),
		async [Symbol.asyncDispose]() {
			await ledger[Symbol.asyncDispose]();
			rmSync(directory, { recursive: true });
		},
	};
}

test("a key has a number of requests per minute, and learns when the next one begins", async () => {
	await using key = await keyWith({ rpm: "2" });
	key.clock.now += 20_000;
	await key.pass(1);
	await key.pass(1);
	expect(await key.admit()).toMatchObject({ kind: "rate_limit", status: 429, retryAfterMs: 40_000 });
	key.clock.now += 40_000;
	await key.pass(1);
});

test("a key has a number of tokens per minute", async () => {
	await using key = await keyWith({ tpm: "1000" });
	await key.pass(999);
	await key.pass(1);
	expect(await key.admit()).toMatchObject({
		kind: "rate_limit",
		message: expect.stringContaining("1000 tokens"),
	});
	key.clock.now += minuteMs;
	await key.pass(1);
});

test("requests at the same moment do not pass the tokens of a minute together", async () => {
	await using key = await keyWith({ tpm: "1000" });
	const all = await Promise.all(Array.from({ length: 50 }, () => key.admit()));
	const admitted = all.flatMap((each) => ("kind" in each ? [] : [each]));
	// Each may use 400: two leave room for a third, which is the last.
	expect(admitted).toHaveLength(3);
	expect(all.find((each) => "kind" in each)).toMatchObject({ kind: "rate_limit", retryAfterMs: 1000 });
	for (const each of admitted) await key.charge(each, 100);
	// They have used less than they might have: the rest is free again.
	await key.pass(700);
	expect(await key.admit()).toMatchObject({ kind: "rate_limit" });
});

test("a request that may use more than its limit is let in alone", async () => {
	await using key = await keyWith({ tpm: "100" });
	const first = await key.admit();
	expect(first).not.toHaveProperty("kind");
	expect(await key.admit()).toMatchObject({ kind: "rate_limit" });
	if (!("kind" in first)) await key.charge(first, 50);
	await key.pass(1);
});

test("what requests of a killed gateway may have used is free again after twenty minutes", async () => {
	await using key = await keyWith({ tpm: "300" });
	// It never ends.
	expect(await key.admit()).toHaveProperty("held");
	key.clock.now += minuteMs;
	expect(await key.admit()).toMatchObject({ kind: "rate_limit", retryAfterMs: 1000 });
	key.clock.now += 20 * minuteMs;
	expect(await key.admit()).toHaveProperty("held");
});
