/** Promise 19: what runs beside the conversation, and what is set, is known to every client. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { configure, plain } from "../../mcp/configured.ts";
import { scripted } from "../../support/lsp/scripted.ts";
import type { Client, ClientSession } from "../client.ts";
import { call, openHome, until } from "../home.ts";
import type { Row } from "../row.ts";

/** All that a client has: events, or the state that it finds. */
function known(session: ClientSession): string {
	return JSON.stringify(session.events) + session.shownText();
}

async function checkLanguageServers(client: Client): Promise<void> {
	await using home = await openHome({
		settings: `lsp:\n  servers: ${JSON.stringify(scripted())}\n`,
		steps: [call("lsp", { action: "diagnostics", path: "a.tst" })],
	});
	writeFileSync(join(home.project, "a.tst"), "one\n");
	await using session = await client.open(home);
	await session.prompt("check");
	await until("the server is ready", () => /"name":"scripted"[^}]*"state":"ready"/.test(known(session)));
}

async function checkServers(client: Client): Promise<void> {
	// A call of the server waits until it is ready; print mode ends with the answer.
	await using home = await openHome({
		settings: "permissions:\n  allow: [mcp__plain]\n",
		steps: [call("mcp_plain_echo", { text: "hi" })],
	});
	configure(home, { plain: plain() });
	await using session = await client.open(home);
	await session.prompt("ask the server");
	await until("the server is ready", () => /"name":"plain"[^}]*"state":"ready"/.test(known(session)));
}

async function checkSetting(client: Client): Promise<void> {
	await using home = await openHome({ steps: ["One."] });
	await using session = await client.open(home);
	await session.prompt("one");
	await session.setSetting("retry.maxRetries", 7);
	await until("the change is announced", () =>
		/"type":"setting_changed"[^}]*"retry.maxRetries"/.test(known(session)),
	);
}

const onScreen = "lists them with /lsp";
const ofPi = "has the events of pi alone";
const quiet = "prints the answer alone";

export const services: readonly Row[] = [
	{
		id: "services/language-servers",
		title: "the state of a language server is seen",
		notFor: { interactive: onScreen, acp: onScreen, print: quiet, "pi-sdk": ofPi },
		check: checkLanguageServers,
	},
	{
		id: "services/mcp-servers",
		title: "the state of an MCP server is seen",
		notFor: {
			interactive: "lists them with /mcp",
			acp: "lists them with /mcp",
			print: quiet,
			"pi-sdk": ofPi,
		},
		check: checkServers,
	},
	{
		id: "services/settings",
		title: "the change of a setting is seen",
		needs: ["events", "settings"],
		notFor: { "pi-sdk": ofPi },
		check: checkSetting,
	},
];
