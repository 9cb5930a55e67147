/** Every question reaches the user of the editor, and whatever is not a yes is a no. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { asking, call, openEditor } from "./editor.ts";

const forms = { elicitation: { form: {} } };

const made = call("bash", { command: "node -e 1 && touch made" });

test.each([
	["no", "no"],
	["a closed question", undefined],
	["an option that nobody offered", "sudo"],
])("%s means that nothing runs", async (_, answer) => {
	await using tau = await launch({ steps: [made, "Understood."] });
	await using editor = await openEditor(tau, { ...asking, permission: () => answer });
	const id = await editor.newSession();
	expect(await editor.prompt(id, "go")).toMatchObject({ stopReason: "end_turn" });
	expect(existsSync(join(tau.project, "made"))).toBe(false);
	expect(editor.permissions).toHaveLength(1);
});

test("an answer for the session is not asked for again; each is an option of its kind", async () => {
	await using tau = await launch({ steps: [made, made, "Done."] });
	await using editor = await openEditor(tau, { ...asking, permission: () => "session" });
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(editor.permissions).toHaveLength(1);
	expect(editor.permissions[0]?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
		["once", "allow_once"],
		["session", "allow_always"],
		["project", "allow_always"],
		["no", "reject_once"],
	]);
});

test("an editor with forms also takes what the model should do instead", async () => {
	await using tau = await launch({ steps: [made, "I will."] });
	await using editor = await openEditor(tau, {
		...asking,
		capabilities: forms,
		permission: () => "explain",
		elicitation: () => ({ action: "accept", content: { message: "use make" } }),
	});
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("use make");
});

test("an edit is asked about with its diff, and shown with it when it is made", async () => {
	await using tau = await launch({
		steps: [call("write", { path: "a.txt", content: "one\ntwo\n" }), "Done."],
	});
	await using editor = await openEditor(tau, { ...asking, permission: () => "once" });
	writeFileSync(join(tau.project, "a.txt"), "one\n");
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	const path = join(tau.project, "a.txt");
	const diff = { type: "diff" as const, path, oldText: "one", newText: "one\ntwo" };
	expect(editor.permissions[0]?.toolCall).toMatchObject({ kind: "edit", locations: [{ path }] });
	expect(editor.permissions[0]?.toolCall.content).toContainEqual(diff);
	const ended = await editor.until(
		(update) => update.sessionUpdate === "tool_call_update" && update.status === "completed",
	);
	expect(ended).toMatchObject({ content: [diff] });
	expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
});

test("a host that no rule covers is asked about with its address, and a no keeps the request away", async () => {
	const asked: string[] = [];
	await using server = serveText(asked);
	await using tau = await launch({ steps: [call("read", { path: `${server.url}page` }), "Understood."] });
	await using editor = await openEditor(tau, { ...asking, permission: () => "no" });
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(editor.permissions.map(({ toolCall }) => toolCall.kind)).toEqual(["fetch"]);
	expect(JSON.stringify(editor.permissions[0]?.toolCall.content)).toContain(`${server.url}page`);
	expect(asked).toEqual([]);
});

/** A server of the web; the paths that it was asked for. */
function serveText(asked: string[]): AsyncDisposable & { url: string } {
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			asked.push(new URL(request.url).pathname);
			return new Response("text");
		},
	});
	return { url: server.url.href, [Symbol.asyncDispose]: () => server.stop(true) };
}

const ask = call("ask", {
	questions: [{ question: "Which database?", options: [{ label: "SQLite" }, { label: "Postgres" }] }],
});

test("the model's questions are a form where the editor has forms", async () => {
	await using tau = await launch({ steps: [ask, "Chosen."] });
	await using editor = await openEditor(tau, {
		capabilities: forms,
		elicitation: () => ({ action: "accept", content: { answer0: "Postgres", text0: "the newest" } }),
	});
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(editor.elicitations[0]).toMatchObject({ mode: "form", sessionId: id, message: "Which database?" });
	const body = JSON.stringify(tau.played.requests.at(-1)?.body);
	expect(body).toContain("Postgres");
	expect(body).toContain("the newest");
});

test("otherwise they are options, as a permission has them", async () => {
	await using tau = await launch({ steps: [ask, "Chosen."] });
	await using editor = await openEditor(tau, {
		permission: ({ options }) => options.find(({ name }) => name === "SQLite")?.optionId,
	});
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(editor.permissions[0]?.toolCall.title).toContain("Which database?");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("SQLite");
});

test("dialogs of extensions reach the editor, and what they print does not disturb the protocol", async () => {
	await using tau = await launch({ steps: ["Done."] });
	const extensions = join(tau.agentDir, "extensions");
	mkdirSync(extensions, { recursive: true });
	writeFileSync(
		join(extensions, "asks.ts"),
		`export default (pi) => {
	console.log("loaded");
	process.stdout.write("noise\\n");
	pi.registerCommand("asks", { description: "Asks", handler: async (_, ctx) => {
		const yes = await ctx.ui.confirm("Really?", "It is only a test");
		ctx.ui.notify(yes ? "confirmed" : "declined");
		ctx.ui.notify(ctx.ui.setTheme("light").error);
	} });
};`,
	);
	await using editor = await openEditor(tau, { permission: () => "yes" });
	const id = await editor.newSession();
	expect(await editor.prompt(id, "/asks")).toMatchObject({ stopReason: "end_turn" });
	expect(editor.permissions[0]?.toolCall.title).toBe("Really?");
	expect(editor.text()).toContain("confirmed");
	expect(editor.text()).toContain("Theme changes are unavailable in ACP mode");
	expect(editor.running.output().err).toContain("noise");
});

test("whether code of the project may run is asked with the first prompt, and a yes takes effect at once", async () => {
	await using tau = await launch({ steps: ["Done."] });
	mkdirSync(join(tau.project, ".tau/extensions"), { recursive: true });
	writeFileSync(
		join(tau.project, ".tau/extensions/mark.ts"),
		`import { writeFileSync } from "node:fs";
export default () => writeFileSync(${JSON.stringify(join(tau.home, "ran"))}, "");`,
	);
	await using editor = await openEditor(tau, { permission: () => "trust" });
	const id = await editor.newSession();
	expect(existsSync(join(tau.home, "ran"))).toBe(false);
	expect(await editor.prompt(id, "go")).toMatchObject({ stopReason: "end_turn" });
	expect(editor.permissions[0]?.toolCall.title).toBe(`Trust ${tau.project}?`);
	expect(existsSync(join(tau.home, "ran"))).toBe(true);
	expect(editor.text()).toEndWith("Done.");
});

test("what an agent wants to run is asked about under its name", async () => {
	await using tau = await launch({
		steps: [
			{
				...call("task", { tasks: [{ name: "helper", assignment: "make the file" }] }),
				when: { bodyContains: "delegate it" },
			},
			{ ...made, when: { bodyContains: "make the file" } },
		],
		fallback: "Done.",
	});
	await using editor = await openEditor(tau, { ...asking, permission: () => "once" });
	const id = await editor.newSession();
	await editor.prompt(id, "delegate it");
	expect(existsSync(join(tau.project, "made"))).toBe(true);
	const [asked] = editor.permissions;
	expect(asked?.toolCall.title).toMatch(/^helper: /);
	// It was announced before it was asked about, and ended.
	const updates = editor.updates.filter(
		(update) => "toolCallId" in update && update.toolCallId === asked?.toolCall.toolCallId,
	);
	expect(updates.map((update) => update.sessionUpdate)).toEqual(["tool_call", "tool_call_update"]);
	expect(updates.at(-1)).toMatchObject({ status: "completed" });
	// An editor can draw it below the call that opened the agent.
	const opener = editor.updates.find((update) => update.sessionUpdate === "tool_call");
	expect(updates[0]?._meta).toEqual({
		parentToolCallId: opener && "toolCallId" in opener ? opener.toolCallId : "none",
	});
});
