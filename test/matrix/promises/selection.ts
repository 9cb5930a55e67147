/** Promise 3: a change of model or thinking level is in the log, and counts when the session is resumed. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { bodyOf, lastRequest, logEntries, openHome, projectFile, until, type LogEntry } from "../home.ts";
import type { Row } from "../row.ts";

async function checkModel(client: Client): Promise<void> {
	await using home = await openHome();
	let file = "";
	{
		await using session = await client.open(home);
		await session.prompt("one");
		await session.setModel("played/played-2");
		await session.prompt("two");
		file = await session.file();
		expect(bodyOf(lastRequest(home)).model).toBe("played-2");
		expect(lastOf(file, "model_change")).toMatchObject({ provider: "played", modelId: "played-2" });
	}
	await using resumed = await client.open(home, { resume: file });
	await resumed.prompt("three");
	expect(bodyOf(lastRequest(home)).model).toBe("played-2");
}

async function checkLevel(client: Client): Promise<void> {
	await using home = await openHome();
	let file = "";
	{
		await using session = await client.open(home);
		await session.prompt("one");
		await session.setThinking("high");
		await session.prompt("two");
		file = await session.file();
		expect(lastOf(file, "thinking_level_change")).toMatchObject({ thinkingLevel: "high" });
	}
	const [before, changed] = home.played.requests.map((request) => bodyOf(request).thinking);
	expect(changed).toBeDefined();
	expect(changed).not.toEqual(before);
	await using resumed = await client.open(home, { resume: file });
	await resumed.prompt("three");
	expect(bodyOf(lastRequest(home)).thinking).toEqual(changed);
}

/** Changing to a model without thinking changes the level too, which must be logged as well. */
async function checkFittedLevel(client: Client): Promise<void> {
	await using home = await openHome({
		secondModelThinks: false,
		extensions: {
			swap: `import { writeFileSync } from "node:fs";
			export default (pi) => {
				pi.registerCommand("swap", {
					handler: async (_args, ctx) => {
						await pi.setModel(ctx.modelRegistry.find("played", "played-2"));
						writeFileSync(ctx.cwd + "/swapped", "yes");
					},
				});
			};`,
		},
	});
	await using session = await client.open(home);
	await session.setThinking("high");
	await session.prompt("one");
	await session.submit("/swap");
	await until("the extension changes the model", () => projectFile(home, "swapped") === "yes");
	await session.prompt("two");
	const file = await session.file();
	expect(lastOf(file, "model_change")).toMatchObject({ modelId: "played-2" });
	expect(lastOf(file, "thinking_level_change")).toMatchObject({ thinkingLevel: "off" });
}

function lastOf(file: string, type: string): LogEntry | undefined {
	return logEntries(file).findLast((entry) => entry.type === type);
}

export const selection: readonly Row[] = [
	{
		id: "selection/model",
		title: "a change of the model is logged, and restored on resume",
		check: checkModel,
	},
	{
		id: "selection/level",
		title: "a change of the thinking level is logged, and restored on resume",
		check: checkLevel,
	},
	{
		id: "selection/fitted-level",
		title: "the level that an extension's change of the model implies is logged",
		check: checkFittedLevel,
	},
];
