/** Promise 4: a new name of the session is announced and logged. */
import { expect } from "bun:test";

import type { Client, ClientSession } from "../client.ts";
import { logEntries, openHome, projectFile, until } from "../home.ts";
import type { Row } from "../row.ts";

/** Notes every announcement, and names the session on command. */
const extensions = {
	names: `import { appendFileSync } from "node:fs";
	export default (pi) => {
		pi.on("session_info_changed", ({ name }, ctx) => appendFileSync(ctx.cwd + "/announced", name + "\\n"));
		pi.registerCommand("christen", { handler: async () => { await pi.setSessionName("Harbour"); } });
	};`,
};

async function checkByUser(client: Client): Promise<void> {
	await using home = await openHome({ extensions });
	await using session = await client.open(home);
	await session.prompt("one");
	await session.setName("Harbour");
	await until("extensions receive it", () => projectFile(home, "announced").includes("Harbour"));
	await expectNamed(client, session);
}

async function checkByExtension(client: Client): Promise<void> {
	await using home = await openHome({ extensions });
	await using session = await client.open(home);
	await session.prompt("one");
	await session.submit("/christen");
	await until("extensions receive the name", () => projectFile(home, "announced").includes("Harbour"));
	await session.idle();
	await expectNamed(client, session);
}

async function expectNamed(client: Client, session: ClientSession): Promise<void> {
	const names = logEntries(await session.file()).filter(({ type }) => type === "session_info");
	expect(names.at(-1)).toMatchObject({ name: "Harbour" });
	if (client.name === "print") return;
	if (client.lacks.events === undefined)
		// Extensions receive it before clients do.
		await until("the client receives the name", () =>
			session.events.some((event) => event.type === "session_info_changed" && event.name === "Harbour"),
		);
	// The title of the terminal; a client that joins has the name among the facts.
	else
		await until("the user sees the name", () =>
			/τ Harbour|"(?:name|title)":"Harbour"/.test(session.shownText()),
		);
}

export const names: readonly Row[] = [
	{
		id: "names/user",
		title: "a name that the user gives is announced and logged",
		needs: ["rename"],
		check: checkByUser,
	},
	{
		id: "names/extension",
		title: "a name that an extension gives is announced and logged",
		check: checkByExtension,
	},
];
