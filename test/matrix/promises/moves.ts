/** Promise 9: fork, new and resume continue with the session's model. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { bodyOf, lastRequest, logEntries, openHome, type Home, conversationIn } from "../home.ts";
import type { Row } from "../row.ts";

const modelOf = (home: Home): string | undefined => bodyOf(lastRequest(home)).model;

async function checkResume(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("of ships");
	await session.setModel("played/played-2");
	await session.prompt("of sails");
	const file = await session.file();
	await session.newSession();
	await session.setModel("played/played-1");
	await session.prompt("of shoes");
	expect(modelOf(home)).toBe("played-1");
	expect(await session.file()).not.toBe(file);
	await session.resume(file);
	await session.prompt("of sealing-wax");
	expect(modelOf(home)).toBe("played-2");
	expect(conversationIn(lastRequest(home))).toContain("of sails");
}

async function checkFork(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("of ships");
	await session.setModel("played/played-2");
	await session.prompt("of sails");
	const file = await session.file();
	await session.fork();
	await session.prompt("of shoes");
	expect(modelOf(home)).toBe("played-2");
	expect(conversationIn(lastRequest(home))).toContain("of sails");
	expect(await session.file()).not.toBe(file);
	expect(JSON.stringify(logEntries(file))).not.toContain("of shoes");
}

async function checkNew(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("of ships");
	await session.setModel("played/played-2");
	await session.newSession();
	await session.prompt("of shoes");
	expect(modelOf(home)).toBe("played-2");
	expect(conversationIn(lastRequest(home))).not.toContain("of ships");
}

/** A wrong path must not cost the session that is open. */
async function checkWrongFile(client: Client): Promise<void> {
	await using home = await openHome();
	await using session = await client.open(home);
	await session.prompt("of ships");
	const file = await session.file();
	const wrong = join(home.project, "notes.jsonl");
	writeFileSync(wrong, "This is not a session.\n");
	expect(await settled(session.resume(wrong))).toBe("refused");
	await session.prompt("of sails");
	expect(conversationIn(lastRequest(home))).toContain("of ships");
	expect(await session.file()).toBe(file);
}

async function settled(work: Promise<void>): Promise<"done" | "refused"> {
	return await work.then(
		() => "done" as const,
		() => "refused" as const,
	);
}

const startsAnew = "opens each session by a call or a process of its own, which nothing precedes";

export const moves: readonly Row[] = [
	{ id: "moves/resume", title: "a resumed session continues with its model", check: checkResume },
	{ id: "moves/fork", title: "a fork continues with the model of the session", check: checkFork },
	{ id: "moves/new", title: "a new session continues with the same model", needs: ["new"], check: checkNew },
	{
		id: "moves/wrong-file",
		title: "a file that is no session is refused, and the session continues",
		notFor: {
			print: startsAnew,
			json: startsAnew,
			sdk: startsAnew,
			interactive: "offers the sessions that there are",
		},
		check: checkWrongFile,
	},
];
