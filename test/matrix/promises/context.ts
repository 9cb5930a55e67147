/** Promise 18: the user decides what is in the context, and can ask beside the conversation. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, conversationIn, lastRequest, openHome } from "../home.ts";
import type { Row } from "../row.ts";

async function checkDrop(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "echo NO; echo ISE" }), "Printed.", "Quiet."],
	});
	await using session = await client.open(home);
	await session.prompt("print it");
	expect(conversationIn(lastRequest(home))).toContain("NO\\nISE");
	await session.dropResult("echo NO");
	await session.prompt("hello");
	expect(conversationIn(lastRequest(home))).not.toContain("NO\\nISE");
	expect(conversationIn(lastRequest(home))).toContain("The user removed this result");
}

async function checkAside(client: Client): Promise<void> {
	const when = { bodyContains: "a question beside the conversation" };
	await using home = await openHome({ steps: [{ when, answer: "Whispered." }, "Aloud.", "Again."] });
	await using session = await client.open(home);
	await session.prompt("say it");
	await session.aside("and now?", "Whispered.");
	await session.prompt("again");
	expect(conversationIn(lastRequest(home))).not.toContain("Whispered.");
	expect(conversationIn(lastRequest(home))).not.toContain("and now?");
}

export const context: readonly Row[] = [
	{
		id: "context/drop",
		title: "a tool result is dropped from the context",
		needs: ["context"],
		check: checkDrop,
	},
	{
		id: "context/aside",
		title: "a question beside the conversation leaves no trace in it",
		needs: ["context"],
		check: checkAside,
	},
];
