/** The files that are open in the editor: what is not saved is read, and what the model writes lands there. */
import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { methods } from "@agentclientprotocol/sdk/unstable";

import { modelsYml } from "@tau/ai/testing";

import { serveOverEvents } from "../mcp/sse-server.ts";
import { launch } from "../support/launch.ts";
import { asking, call, openEditor } from "./editor.ts";

const fs = { readTextFile: true, writeTextFile: true };

function lastRequest(tau: Awaited<ReturnType<typeof launch>>): string {
	return JSON.stringify(tau.played.requests.at(-1)?.body);
}

test("the model reads what is not saved yet, and an edit of it lands in the editor and on the disk", async () => {
	await using tau = await launch({
		steps: [
			call("read", { path: "a.txt" }),
			call("write", { path: "a.txt", content: "unsaved by the user\nadded by the model\n" }),
			"Done.",
		],
	});
	const path = join(tau.project, "a.txt");
	writeFileSync(path, "saved\n");
	const buffers = new Map([[path, "unsaved by the user\n"]]);
	await using editor = await openEditor(tau, { capabilities: { fs }, buffers });
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(lastRequest(tau)).toContain("unsaved by the user");
	expect(buffers.get(path)).toBe("unsaved by the user\nadded by the model\n");
	// The editor of this test saves nothing by itself: the next command still finds it.
	expect(readFileSync(path, "utf8")).toBe("unsaved by the user\nadded by the model\n");
	const edited = await editor.until(
		(update) =>
			update.sessionUpdate === "tool_call_update" && JSON.stringify(update.content ?? []).includes('"diff"'),
	);
	expect(JSON.stringify(edited)).toContain('"oldText":"unsaved by the user"');
});

test("with tags an unsaved text is edited by its lines, each result has the next tag, and a rewind takes all of it back", async () => {
	await using tau = await launch({ steps: [call("read", { path: "a.txt" }), "Read."] });
	writeFileSync(join(tau.agentDir, "config.yml"), "edit:\n  mode: hashline\n");
	const path = join(tau.project, "a.txt");
	writeFileSync(path, "saved\n");
	const buffers = new Map([[path, "one\ntwo\n"]]);
	await using editor = await openEditor(tau, { capabilities: { fs }, buffers });
	const id = await editor.newSession();
	await editor.prompt(id, "read it");
	const tags: string[] = [];
	for (const [line, text] of ["ONE", "TWO"].entries()) {
		const [tag = ""] = [...lastRequest(tau).matchAll(/\[a\.txt#(\w+)\]/g)]
			.flatMap(([, found]) => found)
			.slice(-1);
		tags.push(tag);
		const edits = [{ from: line + 1, to: line + 1, text }];
		tau.played.setScenario({ steps: [call("edit", { path: "a.txt", tag, edits }), "Done."] });
		await editor.prompt(id, `change line ${line + 1}`);
	}
	expect(new Set(tags).size).toBe(2);
	expect([buffers.get(path), readFileSync(path, "utf8")]).toEqual(["ONE\nTWO\n", "ONE\nTWO\n"]);
	const before = editor.text().length;
	await editor.prompt(id, "/rewind");
	const points = [
		...editor
			.text()
			.slice(before)
			.matchAll(/^(\w+) {2}/gm),
	].map(([, point = ""]) => point);
	await editor.prompt(id, `/rewind ${points.at(-1)} both`);
	expect(readFileSync(path, "utf8")).toBe("saved\n");
});

test("what the user types while a change is being approved is shown and asked about, not overwritten", async () => {
	await using tau = await launch({
		steps: [call("write", { path: "a.txt", content: "of the model\n" }), "Done."],
	});
	const path = join(tau.project, "a.txt");
	writeFileSync(path, "saved\n");
	const buffers = new Map([[path, "saved\n"]]);
	await using editor = await openEditor(tau, {
		...asking,
		capabilities: { fs },
		buffers,
		permission() {
			if (buffers.get(path) === "typed meanwhile\n") return "no";
			buffers.set(path, "typed meanwhile\n");
			return "once";
		},
	});
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(editor.permissions.map(({ toolCall }) => toolCall.content?.[0])).toMatchObject([
		{ oldText: "saved", newText: "of the model" },
		{ oldText: "typed meanwhile", newText: "of the model" },
	]);
	expect(buffers.get(path)).toBe("typed meanwhile\n");
	expect(readFileSync(path, "utf8")).toBe("saved\n");
});

test("a file that the editor does not know, and a new one, are read and written on the disk", async () => {
	await using tau = await launch({
		steps: [call("read", { path: "b.txt" }), call("write", { path: "new.txt", content: "new\n" }), "Done."],
	});
	writeFileSync(join(tau.project, "b.txt"), "on disk\n");
	await using editor = await openEditor(tau, { capabilities: { fs } });
	const id = await editor.newSession();
	await editor.prompt(id, "go");
	expect(lastRequest(tau)).toContain("on disk");
	expect(readFileSync(join(tau.project, "new.txt"), "utf8")).toBe("new\n");
});

test("texts, images, embedded files and links reach the model", async () => {
	await using tau = await launch({ steps: ["Seen."] });
	writeFileSync(join(tau.project, "linked.txt"), "of the link\n");
	await using editor = await openEditor(tau);
	const sessionId = await editor.newSession();
	const png =
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
	await editor.agent.request(methods.agent.session.prompt, {
		sessionId,
		prompt: [
			{ type: "text", text: "Look at " },
			{ type: "resource", resource: { uri: `file://${tau.project}/open.txt`, text: "not on disk" } },
			{ type: "text", text: " and " },
			{ type: "resource_link", name: "linked.txt", uri: `file://${tau.project}/linked.txt` },
			{ type: "image", data: png, mimeType: "image/png" },
		],
	});
	const body = lastRequest(tau);
	expect(body).toContain("Look at open.txt and @linked.txt");
	expect(body).toContain('<file name=\\"open.txt\\">\\nnot on disk');
	expect(body).toContain("of the link");
	// The played model takes none: that there was one is what it is told.
	expect(body).toContain("an image was here");
	// The editor shows its own prompt: it is not sent back.
	expect(editor.updates.some((update) => update.sessionUpdate === "user_message_chunk")).toBe(false);
});

test("audio reaches a model that takes it, and is there when the session is loaded", async () => {
	const api = "openai-completions";
	await using tau = await launch({ steps: ["Heard."] }, api);
	writeFileSync(join(tau.agentDir, "models.yml"), modelsYml(tau.played, { api, input: ["text", "audio"] }));
	const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
	const audio = { type: "audio" as const, data: wav, mimeType: "audio/wav" };
	let sessionId = "";
	{
		await using editor = await openEditor(tau);
		expect(editor.initialized.agentCapabilities?.promptCapabilities?.audio).toBe(true);
		sessionId = await editor.newSession();
		const prompt = [{ type: "text" as const, text: "What is said?" }, audio];
		await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt });
		expect(lastRequest(tau)).toContain(
			`{"type":"input_audio","input_audio":{"data":"${wav}","format":"wav"}}`,
		);
	}
	await using editor = await openEditor(tau);
	await editor.agent.request(methods.agent.session.load, { sessionId, cwd: tau.project, mcpServers: [] });
	const said = editor.updates.flatMap((update) =>
		update.sessionUpdate === "user_message_chunk" ? [update.content] : [],
	);
	expect(said).toEqual([{ type: "text", text: "What is said?" }, audio]);
});

test("audio is refused by name for a model that takes none, and nothing is sent", async () => {
	await using tau = await launch({ steps: [] });
	await using editor = await openEditor(tau);
	const sessionId = await editor.newSession();
	const prompt = [{ type: "audio" as const, data: "UklG", mimeType: "audio/wav" }];
	const refused = editor.agent.request(methods.agent.session.prompt, { sessionId, prompt });
	expect(await refused.catch(({ code, message }) => ({ code, message }))).toEqual({
		code: -32602,
		message: expect.stringContaining("Played model takes no audio"),
	});
	expect(tau.played.requests).toEqual([]);
});

test("MCP servers of the editor belong to its session", async () => {
	await using tau = await launch({ steps: [call("mcp_given_echo", { text: "hello" }), "Done."] });
	await using editor = await openEditor(tau, { permission: () => "once" });
	const server = {
		name: "given",
		command: process.execPath,
		args: [join(import.meta.dir, "../support/mcp/fault-server.ts")],
		env: [{ name: "MARK", value: "1" }],
	};
	const id = await editor.newSession(tau.project, { mcpServers: [server] });
	await editor.prompt(id, "go");
	expect(lastRequest(tau)).toContain("echo: hello");
	const other = await editor.newSession();
	await tau.played.waitForRequest(2);
	expect(other).not.toBe(id);
});

test("servers of the editor with an address are used over HTTP and over events", async () => {
	await using events = serveOverEvents();
	await using http = Bun.spawn(
		[process.execPath, join(import.meta.dir, "../support/mcp/fault-server.ts"), "--http"],
		{ stdout: "pipe", stdin: "ignore" },
	);
	const { value } = await http.stdout.getReader().read();
	await using tau = await launch({
		steps: [call("mcp_modern_echo", { text: "hello" }), call("mcp_old_echo", { text: "hi" }), "Done."],
	});
	await using editor = await openEditor(tau, { permission: () => "once" });
	const mcpServers = [
		{
			type: "http",
			name: "modern",
			url: Buffer.from(value ?? [])
				.toString()
				.trim(),
			headers: [],
		},
		{ type: "sse", name: "old", url: events.url, headers: [{ name: "x-mark", value: "1" }] },
	];
	const id = await editor.newSession(tau.project, { mcpServers });
	await editor.prompt(id, "go");
	expect(lastRequest(tau)).toContain("echo: hello");
	expect(lastRequest(tau)).toContain("over events: hi");
});

test("a session of a directory that cannot be read is refused, and the others go on", async () => {
	await using tau = await launch({ steps: ["Done."] });
	await using editor = await openEditor(tau);
	writeFileSync(join(tau.project, "file"), "");
	chmodSync(join(tau.project, "file"), 0o644);
	expect(
		await editor.newSession(join(tau.project, "file")).catch((error: { code: number }) => error.code),
	).toBe(-32602);
	expect(await editor.prompt(await editor.newSession(), "go")).toMatchObject({ stopReason: "end_turn" });
});
