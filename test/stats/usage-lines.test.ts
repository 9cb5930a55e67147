/** What sessions cost is recorded when an answer ends, and `tau stats` counts it once. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

interface Overall {
	totalRequests: number;
	failedRequests: number;
	totalInputTokens: number;
	totalOutputTokens: number;
	totalCost: number;
	unpricedRequests: number;
}

async function overall(tau: Launched): Promise<Overall> {
	const { out, err, code } = await tau.run(["stats", "--json"]);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	return (JSON.parse(out) as { overall: Overall }).overall;
}

function usageLines(tau: Launched): Record<string, unknown>[] {
	const directory = join(tau.agentDir, "usage");
	return readdirSync(directory)
		.filter((name) => name.endsWith(".jsonl"))
		.flatMap((name) => readFileSync(join(directory, name), "utf8").trim().split("\n"))
		.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("an answer, its tool calls and a failed answer are one line each, and count once", async () => {
	await using tau = await launch({
		steps: [
			{
				answer: {
					blocks: [{ toolCall: { name: "read", arguments: { path: "a.txt" } } }],
					usage: { input: 1000, output: 20, cacheRead: 500 },
				},
			},
			{ answer: { blocks: [{ text: "Done." }], usage: { input: 2000, output: 30 } } },
			{ answer: { blocks: [{ text: "Again." }], usage: { input: 10, output: 5 } } },
		],
	});
	writeFileSync(join(tau.project, "a.txt"), "hello");
	expect((await tau.run(["-p", "read it"])).code).toBe(0);
	expect(usageLines(tau)).toMatchObject([
		{ tokens: [1000, 20, 500, 0], provider: "played", cwd: tau.project },
		{ tool: "read" },
		{ tokens: [2000, 30, 0, 0] },
	]);
	const first = await overall(tau);
	expect(first).toMatchObject({
		totalRequests: 2,
		totalInputTokens: 3000,
		totalOutputTokens: 50,
		unpricedRequests: 0,
	});
	expect(first.totalCost).toBeCloseTo((3000 * 3 + 50 * 15 + 500 * 0.3) / 1e6, 9);
	// The same session again, and one that is not stored.
	expect((await tau.run(["-c", "-p", "again"])).code).toBe(0);
	expect((await tau.run(["--no-session", "-p", "refused"])).code).toBe(1);
	expect(await overall(tau)).toMatchObject({ totalInputTokens: 3010, totalRequests: 4, failedRequests: 1 });
	const tools = await tau.run(["stats", "--by", "tool", "--csv"]);
	expect(tools.out.split("\n")[1]).toStartWith("read,1,0,");
});
