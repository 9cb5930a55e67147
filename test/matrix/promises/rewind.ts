/** Promise 17: the user can take back what a run did, the conversation and the files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, conversationIn, lastRequest, openHome, projectFile } from "../home.ts";
import type { Row } from "../row.ts";

async function checkRewind(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "rm precious.txt && echo x > made.txt" }), "Cleaned up.", "Hello again."],
	});
	writeFileSync(join(home.project, "precious.txt"), "mine");
	await using session = await client.open(home);
	await session.prompt("clean up");
	expect([projectFile(home, "precious.txt"), projectFile(home, "made.txt")]).toEqual(["", "x\n"]);
	await session.rewind();
	expect([projectFile(home, "precious.txt"), projectFile(home, "made.txt")]).toEqual(["mine", ""]);
	await session.prompt("hello");
	expect(conversationIn(lastRequest(home))).not.toContain("clean up");
}

export const rewind: readonly Row[] = [
	{
		id: "rewind/both",
		title: "the conversation and files go back to a message, also what a command deleted",
		needs: ["rewind"],
		check: checkRewind,
	},
];
