/** A session that stays open for a day does not keep what it no longer needs. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";
import { nextMacrotask } from "@tau/utils";

import { testModel, testSession } from "../../../../test/support/session.ts";
import { collectGarbage, type ProcessMemory } from "./collect-garbage.ts";

const mb = 1024 * 1024;

test("memory is collected after a run in which the process has grown, and not during or after every run", async () => {
	await using played = await playModel({ steps: ["One.", "Two.", "Three.", "Four."] });
	let bytes = 100 * mb;
	const collectedIn: string[] = [];
	const memory: ProcessMemory = {
		bytes: () => bytes,
		collect: () => {
			collectedIn.push(session.phase);
			bytes -= 5 * mb;
		},
	};
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [collectGarbage(memory)],
	});
	const collectionsAfter = async (growth: number): Promise<number> => {
		using _ = session.subscribe(({ type }) => void (type === "agent_start" && (bytes += growth)));
		await session.prompt({ text: "go" });
		const { promise, resolve } = Promise.withResolvers<void>();
		nextMacrotask(resolve);
		await promise;
		return collectedIn.length;
	};
	expect(await collectionsAfter(10 * mb)).toBe(0);
	expect(await collectionsAfter(10 * mb)).toBe(1);
	// From then on, growth counts from what was left.
	expect(await collectionsAfter(15 * mb)).toBe(1);
	expect(await collectionsAfter(mb)).toBe(2);
	expect(collectedIn).toEqual(["idle", "idle"]);
});
