/** A session that stays open for a day does not keep what it no longer needs. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";
import { nextMacrotask } from "@tau/utils";

import { testModel, testSession } from "../../../../test/support/session.ts";
import { collectGarbage, type ProcessMemory } from "./collect-garbage.ts";

const mb = 1024 * 1024;

async function twoMacrotasks(): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	nextMacrotask(() => nextMacrotask(resolve));
	await promise;
}

test("new memory is collected between turns, and everything once after a run, once the process has grown", async () => {
	const call = { answer: { blocks: [{ toolCall: { name: "nothing", arguments: {} } }] } };
	await using played = await playModel({
		steps: ["One.", "Two.", "Three.", "Four.", "Five.", "Six.", call, "Seven.", call, "Eight."],
	});
	let bytes = 90 * mb;
	const collected: string[] = [];
	const memory: ProcessMemory = {
		bytes: () => bytes,
		collectRecent: () => {
			collected.push(`recent, ${session.phase}`);
			bytes -= mb;
		},
		collect: () => {
			collected.push(`all, ${session.phase}`);
			bytes -= 5 * mb;
		},
		shrink: () => {
			collected.push(`code, ${session.phase}`);
			bytes -= 20 * mb;
		},
	};
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [collectGarbage(memory)],
	});
	const collectionsAfter = async (growth: number): Promise<string[]> => {
		using _ = session.subscribe(({ type }) => void (type === "agent_start" && (bytes += growth)));
		await session.prompt({ text: "go" });
		await twoMacrotasks();
		return collected.splice(0).map((each) => each.split(",")[0] ?? "");
	};
	expect(await collectionsAfter(5 * mb)).toEqual([]);
	expect(await collectionsAfter(2 * mb)).toEqual(["recent"]);
	// Growth counts from what the last collection of its kind has left.
	expect(await collectionsAfter(7 * mb)).toEqual(["all"]);
	expect(await collectionsAfter(5 * mb)).toEqual([]);
	bytes = 50 * mb;
	expect(await collectionsAfter(5 * mb)).toEqual([]);
	// A large process gives up unpacked code, too.
	expect(await collectionsAfter(60 * mb)).toEqual(["code"]);
	// Between two turns of a run, too.
	expect(await collectionsAfter(7 * mb)).toEqual(["recent"]);
	expect(await collectionsAfter(8 * mb)).toEqual(["recent", "all"]);
});

test("TAU_COLLECT_MB says by how much it may grow before that", async () => {
	await using played = await playModel({ steps: ["One.", "Two."] });
	let bytes = 90 * mb;
	let collections = 0;
	const count = (): void => void collections++;
	const memory = { bytes: () => bytes, collectRecent: count, collect: count, shrink: count };
	using session = testSession(testModel({ baseUrl: played.anthropicUrl }), {
		behaviors: [collectGarbage(memory, { TAU_COLLECT_MB: "1000" })],
	});
	const collectionsAfter = async (growth: number): Promise<number> => {
		bytes += growth;
		await session.prompt({ text: "go" });
		await twoMacrotasks();
		return collections;
	};
	expect(await collectionsAfter(500 * mb)).toBe(0);
	expect(await collectionsAfter(500 * mb)).toBe(1);
});
