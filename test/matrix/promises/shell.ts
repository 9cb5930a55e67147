/** Promises 8 and 11: the user's commands and the model's run in one shell. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, lastRequest, openHome, conversationIn } from "../home.ts";
import type { Row } from "../row.ts";

async function checkDirectory(client: Client): Promise<void> {
	await using home = await openHome({ steps: ["One.", call("bash", { command: "pwd" })] });
	mkdirSync(join(home.project, "deep"));
	await using session = await client.open(home);
	await session.prompt("one");
	await session.shell("cd deep");
	await session.prompt("where are you?");
	expect(conversationIn(lastRequest(home))).toContain(join(home.project, "deep"));
}

async function checkUserVariable(client: Client): Promise<void> {
	await using home = await openHome({
		steps: ["One.", call("bash", { command: 'echo "harbour is $HARBOUR"' })],
	});
	await using session = await client.open(home);
	await session.prompt("one");
	await session.shell("export HARBOUR=kiel");
	await session.prompt("which harbour?");
	expect(conversationIn(lastRequest(home))).toContain("harbour is kiel");
}

async function checkModelVariable(client: Client): Promise<void> {
	await using home = await openHome({ steps: [call("bash", { command: "export HARBOUR=kiel" })] });
	await using session = await client.open(home);
	await session.prompt("set it");
	await session.shell('echo "harbour is $HARBOUR"');
	await session.prompt("which harbour?");
	expect(conversationIn(lastRequest(home))).toContain("harbour is kiel");
}

const needs = ["shell"] as const;

export const shell: readonly Row[] = [
	{
		id: "shell/directory",
		title: "the model's shell is where the user's cd went",
		needs,
		check: checkDirectory,
	},
	{
		id: "shell/user-variable",
		title: "the model's shell has a variable that the user exported",
		needs,
		check: checkUserVariable,
	},
	{
		id: "shell/model-variable",
		title: "the user's shell has a variable that the model exported",
		needs,
		check: checkModelVariable,
	},
];
