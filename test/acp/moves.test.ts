/** A command that continues in another conversation: the editor keeps its session, and every id stays what it names. */
import { expect, test } from "bun:test";

import { methods, type RequestError } from "@agentclientprotocol/sdk/unstable";

import { launch, type Launched } from "../support/launch.ts";
import { openEditor, type Editor } from "./editor.ts";

const { session } = methods.agent;

function problemOf(work: Promise<unknown>): Promise<string> {
	return work.then(
		() => "none",
		({ code, message }: RequestError) => `${code} ${message}`,
	);
}

/** The texts that a session is loaded with. */
async function loaded(editor: Editor, { project: cwd }: Launched, sessionId: string): Promise<string[]> {
	const from = editor.updates.length;
	await editor.agent.request(session.load, { sessionId, cwd, mcpServers: [] });
	return editor.updates
		.slice(from)
		.flatMap((update) =>
			"content" in update && update.content && "text" in update.content ? [update.content.text] : [],
		);
}

async function storedIds(editor: Editor): Promise<string[]> {
	return (await editor.agent.request(session.list, {})).sessions.map(({ sessionId }) => sessionId);
}

/** In another conversation by the command; its id. */
async function moved(editor: Editor, id: string, command: string): Promise<string> {
	const from = editor.text().length;
	expect(await editor.prompt(id, command)).toMatchObject({ stopReason: "end_turn" });
	const [, other = ""] = /continues as session (\S+)\./.exec(editor.text().slice(from)) ?? [];
	expect(other).not.toBe("");
	return other;
}

test("after /new prompts go to the new conversation; both are listed, and each id loads its own", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "melon");
	await editor.prompt(id, "/name The first");
	const other = await moved(editor, id, "/new");
	// The name of the first is not that of the second.
	await editor.until((update) => update.sessionUpdate === "session_info_update" && update.title === null);
	await editor.prompt(id, "quince");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).not.toContain("melon");
	expect((await storedIds(editor)).toSorted()).toEqual([id, other].toSorted());
	// It is open already, under the id that the editor knows.
	const load = { sessionId: other, cwd: tau.project, mcpServers: [] };
	expect(await problemOf(editor.agent.request(session.load, load))).toContain(
		`-32602 Invalid params: ACP session ${other} is already loaded as ${id}`,
	);
	expect(await loaded(editor, tau, id)).toEqual(["melon", "One."]);
	await editor.prompt(id, "third");
	const body = JSON.stringify(tau.played.requests.at(-1)?.body);
	expect(body).toContain("melon");
	expect(body).not.toContain("quince");
	expect(await loaded(editor, tau, other)).toEqual(["quince", "Two."]);
});

test("/fork and /resume move it as well, and what is removed while it is shown is closed first", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "melon");
	const copy = await moved(editor, id, "/fork all");
	await editor.prompt(id, "in the copy");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("melon");
	await editor.prompt(id, `/resume ${id}`);
	await editor.prompt(id, "back");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).not.toContain("in the copy");
	expect(await moved(editor, id, `/resume ${copy}`)).toBe(copy);
	await editor.agent.request(session.delete, { sessionId: copy });
	expect(await storedIds(editor)).toEqual([id]);
	expect(await problemOf(editor.prompt(id, "still there?"))).toContain(`ACP session not found: ${id}`);
	expect(await loaded(editor, tau, id)).toEqual(["melon", "One.", "back", "Three."]);
});

test("a session that is open is not opened a second time: by a command, by another editor, for another directory", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	await using editor = await openEditor(tau);
	const [one, two] = [await editor.newSession(), await editor.newSession()];
	await editor.prompt(one, "first");
	await editor.prompt(two, "second");
	expect(await problemOf(editor.prompt(two, `/resume ${one}`))).toMatch(/^-32602 .* has the session open/);
	expect((await storedIds(editor)).toSorted()).toEqual([one, two].toSorted());
	await using other = await openEditor(tau);
	const load = (cwd: string): Promise<string> =>
		problemOf(other.agent.request(session.load, { sessionId: one, cwd, mcpServers: [] }));
	expect(await load(tau.project)).toMatch(/^-32602 .* has the session open/);
	expect(await load(tau.home)).toContain(
		`-32602 Invalid params: ACP session ${one} is already loaded for ${tau.project}, not ${tau.home}`,
	);
});
