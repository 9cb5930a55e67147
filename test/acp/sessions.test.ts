/** Sessions of an editor: the same as everywhere, stored, listed, continued, copied, closed and removed. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { methods, RequestError } from "@agentclientprotocol/sdk/unstable";

import { launch } from "../support/launch.ts";
import { model, openEditor, type Editor } from "./editor.ts";

const { session } = methods.agent;

async function codeOf(work: Promise<unknown>): Promise<number | "none"> {
	try {
		await work;
		return "none";
	} catch (error) {
		if (error instanceof RequestError) return error.code;
		throw error;
	}
}

function replayOf(editor: Editor, from: number): string[] {
	return editor.updates.slice(from).flatMap((update) => {
		if (!("content" in update) || !update.content || Array.isArray(update.content))
			return [update.sessionUpdate];
		return update.content.type === "text" ? [`${update.sessionUpdate}: ${update.content.text}`] : [];
	});
}

test("a mistake of the client is answered with the code for it, and never as a fault of Tau", async () => {
	await using tau = await launch({ steps: [] });
	await using editor = await openEditor(tau);
	const { agent } = editor;
	const id = await editor.newSession();
	editor.check.sendsWrong = true;
	const cwd = tau.project;
	expect(await codeOf(agent.request("session/unheard_of", {}))).toBe(-32601);
	const wrong: [string, object][] = [
		[session.new, { cwd: "relative", mcpServers: [] }],
		[session.new, { cwd: "/does/not/exist", mcpServers: [] }],
		[session.new, { mcpServers: [] }],
		[session.new, { cwd, mcpServers: [{ name: "a b", command: "true", args: [], env: [] }] }],
		[session.prompt, { sessionId: id }],
		[session.prompt, { sessionId: "nobody", prompt: [{ type: "text", text: "hi" }] }],
		[session.prompt, { sessionId: id, prompt: [] }],
		[session.prompt, { sessionId: id, prompt: [{ type: "image", data: "?!", mimeType: "image/png" }] }],
		[session.prompt, { sessionId: id, prompt: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }],
		[session.load, { sessionId: "nobody", cwd, mcpServers: [] }],
		[session.resume, { sessionId: "nobody", cwd }],
		[session.fork, { sessionId: "nobody", cwd }],
		[session.list, { cursor: "nobody" }],
		[session.list, { cwd: "relative" }],
		[session.setMode, { sessionId: id, modeId: "wild" }],
		[session.setConfigOption, { sessionId: id, configId: "color", value: "red" }],
		[session.setConfigOption, { sessionId: id, configId: "model", value: "none/such" }],
		[session.setConfigOption, { sessionId: id, configId: "thinking", value: "hard" }],
		[methods.agent.authenticate, { methodId: "magic" }],
	];
	const codes = await Promise.all(wrong.map(([method, params]) => codeOf(agent.request(method, params))));
	expect(codes).toEqual(wrong.map(() => -32602));
	const wordsOf = async (method: string, params: object): Promise<string> =>
		await agent.request(method, params).then(
			() => "done",
			(error: RequestError) => error.message,
		);
	const worded: [string, object, string][] = [
		[methods.agent.authenticate, { methodId: "magic" }, "Unknown ACP auth method: magic"],
		[session.new, { cwd: "relative", mcpServers: [] }, "ACP cwd must be absolute: relative"],
		[session.list, { cursor: "nobody" }, "Invalid ACP session cursor: nobody"],
		[session.load, { sessionId: "nobody", cwd, mcpServers: [] }, "ACP session not found: nobody"],
		[session.setMode, { sessionId: id, modeId: "wild" }, "Unsupported ACP mode: wild"],
		[
			session.setConfigOption,
			{ sessionId: id, configId: "color", value: "red" },
			"Unknown ACP config option: color",
		],
		[
			session.setConfigOption,
			{ sessionId: id, configId: "model", value: "none/such" },
			"Unknown ACP model: none/such",
		],
		[
			session.setConfigOption,
			{ sessionId: id, configId: "thinking", value: "hard" },
			"Unknown ACP thinking level: hard",
		],
		[
			session.fork,
			{ sessionId: id, cwd, mcpServers: [] },
			`ACP session cannot be forked before it is persisted: ${id}`,
		],
		["_omp/unheard_of", {}, "Unknown ACP ext method: _omp/unheard_of"],
	];
	for (const [method, params, words] of worded) expect(await wordsOf(method, params)).toContain(words);
	// The protocol's own code, which clients take for done.
	expect(await codeOf(agent.request<unknown>("session/close", { sessionId: "nobody" }))).toBe("none");
});

test("a session that is loaded is sent whole before the answer, and continues", async () => {
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ text: "Looking." }, { toolCall: { name: "ls", arguments: {} } }] } },
			"First answer.",
			"Second answer.",
		],
	});
	let id = "";
	{
		await using editor = await openEditor(tau);
		id = await editor.newSession();
		await editor.prompt(id, "first question");
		await editor.leave();
	}
	await using editor = await openEditor(tau);
	const { sessions } = await editor.agent.request(session.list, { cwd: tau.project });
	expect(sessions).toMatchObject([{ sessionId: id, cwd: tau.project, title: "first question" }]);
	const loaded = await editor.agent.request(session.load, {
		sessionId: id,
		cwd: tau.project,
		mcpServers: [],
	});
	expect(loaded.modes?.availableModes.map((mode) => mode.id)).toEqual(["plan", "ask", "auto", "full"]);
	expect(replayOf(editor, 0)).toEqual([
		"user_message_chunk: first question",
		"agent_message_chunk: Looking.",
		"tool_call",
		"tool_call_update",
		"agent_message_chunk: First answer.",
	]);
	const before = editor.updates.length;
	await editor.prompt(id, "and now?");
	expect(replayOf(editor, before).filter((line) => line.startsWith("agent_message"))).toEqual([
		"agent_message_chunk: Second answer.",
	]);
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("first question");
});

test("a session that is resumed is not sent again; a terminal continues what an editor began", async () => {
	await using tau = await launch({ steps: ["One.", "Two.", "Three."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "begin");
	await editor.agent.request(session.close, { sessionId: id });
	const printed = await tau.run(["-p", "--resume", id, ...model, "continue"]);
	expect(printed.out.trim()).toBe("Two.");
	const before = editor.updates.length;
	await editor.agent.request(session.resume, { sessionId: id, cwd: tau.project, mcpServers: [] });
	expect(replayOf(editor, before)).toEqual([]);
	await editor.prompt(id, "end");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("continue");
});

test("a fork has the history of its source and another id; what is removed is in no list", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "begin");
	const { sessionId } = await editor.agent.request(session.fork, {
		sessionId: id,
		cwd: tau.project,
		mcpServers: [],
	});
	expect(sessionId).not.toBe(id);
	await editor.prompt(sessionId, "in the copy");
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("begin");
	await editor.agent.request(session.delete, { sessionId: id });
	const { sessions } = await editor.agent.request(session.list, {});
	expect(sessions.map((each) => each.sessionId)).toEqual([sessionId]);
	expect(existsSync(tau.project)).toBe(true);
});

test("sessions are listed in pages of fifty, the newest first", async () => {
	await using tau = await launch({ steps: ["One."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "begin");
	const [file = ""] = [...new Bun.Glob("sessions/**/*.jsonl").scanSync(tau.agentDir)];
	const text = readFileSync(join(tau.agentDir, file), "utf8");
	for (let count = 0; count < 60; count++) {
		const other = `${id.slice(0, -4)}${String(1000 + count)}`;
		writeFileSync(join(tau.agentDir, file.replaceAll(id, other)), text.replaceAll(id, other));
	}
	const first = await editor.agent.request(session.list, {});
	expect([first.sessions.length, typeof first.nextCursor]).toEqual([50, "string"]);
	const rest = await editor.agent.request(session.list, { cursor: first.nextCursor ?? "" });
	expect([rest.sessions.length, rest.nextCursor]).toEqual([11, undefined]);
	const ids = [...first.sessions, ...rest.sessions].map(({ sessionId }) => sessionId);
	expect(new Set(ids).size).toBe(61);
});

test("two sessions of different directories run side by side, each with its own files", async () => {
	await using tau = await launch({ steps: ["Answer.", "Answer."] });
	await using editor = await openEditor(tau);
	const [one, two] = await Promise.all([editor.newSession(), editor.newSession(tau.home)]);
	expect(one).not.toBe(two);
	const responses = await Promise.all([editor.prompt(one, "a"), editor.prompt(two, "b")]);
	expect(responses.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"]);
	const bodies = tau.played.requests.map(({ body }) => JSON.stringify(body));
	expect(bodies.some((body) => body.includes(tau.home) && body.includes('"b"'))).toBe(true);
});

test("clients written for omp list all sessions, the projects, and the sessions of one", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	await using editor = await openEditor(tau);
	const id = await editor.newSession();
	await editor.prompt(id, "in the project");
	const other = await editor.newSession(tau.home);
	await editor.prompt(other, "at home");
	const extra = (method: string, params = {}): Promise<unknown> => editor.agent.request(method, params);
	expect(await extra("_omp/sessions/listAll", { limit: 1 })).toMatchObject({
		sessions: [{ sessionId: other, title: "at home" }],
		total: 2,
	});
	expect(await extra("_omp/projects/list")).toMatchObject({
		projects: [
			{ cwd: tau.home, sessionCount: 1, lastTitle: "at home" },
			{ cwd: tau.project, sessionCount: 1 },
		],
		totalSessions: 2,
	});
	expect(await extra("_omp/chats/byCwd", { cwd: tau.project })).toMatchObject({
		sessions: [{ sessionId: id }],
	});
	expect(await codeOf(extra("_omp/unheard_of"))).toBe(-32601);
});

test("clients written for omp read what the open sessions have used, and switch off what was found", async () => {
	const answer = { blocks: [{ text: "One." }], usage: { input: 100, output: 20 } };
	await using tau = await launch({ steps: [{ answer }] });
	const skill = join(tau.agentDir, "skills/knots/SKILL.md");
	mkdirSync(join(skill, ".."), { recursive: true });
	writeFileSync(skill, "---\nname: knots\ndescription: Ties knots.\n---\nTie.\n");
	mkdirSync(join(tau.agentDir, "extensions"), { recursive: true });
	writeFileSync(join(tau.agentDir, "extensions/hello.ts"), "export default () => {};\n");
	await using editor = await openEditor(tau);
	const extra = (method: string, params = {}): Promise<unknown> => editor.agent.request(method, params);
	expect(await extra("_omp/usage")).toEqual({ sessions: [], tokens: 0, cost: 0, reports: [] });
	const id = await editor.newSession();
	await editor.prompt(id, "first");
	const used = { sessions: [{ sessionId: id, cwd: tau.project, userMessages: 1, assistantMessages: 1 }] };
	expect(await extra("_omp/usage", { sessionId: id })).toMatchObject({ ...used, tokens: 120 });
	expect(await extra("_omp/usage", { sessionId: "another" })).toMatchObject({ sessions: [], tokens: 0 });

	const states = async (): Promise<Record<string, string>> => {
		const { extensions } = (await extra("_omp/extensions", { cwd: tau.project })) as {
			extensions: { id: string; state: string }[];
		};
		return Object.fromEntries(extensions.map((each) => [each.id, each.state]));
	};
	const both = ["skills:knots", "extensions:hello"];
	expect(await states()).toMatchObject(Object.fromEntries(both.map((each) => [each, "active"])));
	for (const providerId of both)
		expect(await extra("_omp/extensions/toggle", { providerId, enabled: false })).toEqual({ enabled: false });
	expect(await states()).toMatchObject(Object.fromEntries(both.map((each) => [each, "disabled"])));
	const settings = readFileSync(join(tau.agentDir, "config.yml"), "utf8");
	expect(settings).toMatch(/hello/);
	expect(settings).toMatch(/skills:knots/);
	for (const providerId of both)
		expect(await extra("_omp/extensions/toggle", { providerId })).toEqual({ enabled: true });
	expect(await states()).toMatchObject(Object.fromEntries(both.map((each) => [each, "active"])));
	expect(await codeOf(extra("_omp/extensions/toggle", { providerId: "skills:none" }))).toBe(-32602);
	expect(await codeOf(extra("_omp/extensions/toggle", {}))).toBe(-32602);
});

test("after logout nothing is opened until the client has authenticated", async () => {
	await using tau = await launch({ steps: [] });
	await using editor = await openEditor(tau);
	await editor.agent.request(methods.agent.logout, {});
	expect(await codeOf(editor.newSession())).toBe(-32000);
	await editor.agent.request(methods.agent.authenticate, { methodId: "agent" });
	expect(await codeOf(editor.newSession())).toBe("none");
});

test("an editor that can open a terminal is offered the login in one", async () => {
	await using tau = await launch({ steps: [] });
	await using editor = await openEditor(tau, { capabilities: { auth: { terminal: true } } });
	expect(editor.initialized.authMethods).toMatchObject([
		{ id: "agent" },
		{ id: "terminal", type: "terminal", args: ["--login"] },
	]);
	const { err, code } = await tau.run(["acp", ...model, "--login"]);
	expect(err).toContain("tau login");
	expect(code).not.toBe(0);
	await using other = await openEditor(tau);
	expect(other.initialized.authMethods?.map(({ id }) => id)).toEqual(["agent"]);
});

test("modes, models and thinking levels are chosen by the client, which hears of every change", async () => {
	await using tau = await launch({ steps: [] });
	await using editor = await openEditor(tau);
	const created = await editor.agent.request(session.new, { cwd: tau.project, mcpServers: [] });
	const { sessionId } = created;
	expect(created.configOptions?.map(({ id, category }) => [id, category])).toEqual([
		["mode", "mode"],
		["model", "model"],
		["thinking", "thought_level"],
	]);
	await editor.agent.request(session.setMode, { sessionId, modeId: "plan" });
	expect(await editor.until((each) => each.sessionUpdate === "current_mode_update")).toMatchObject({
		currentModeId: "plan",
	});
	const changed = await editor.agent.request(session.setConfigOption, {
		sessionId,
		configId: "mode",
		value: "ask",
	});
	expect(changed.configOptions.find(({ id }) => id === "mode")).toMatchObject({ currentValue: "ask" });
	await editor.until((each) => each.sessionUpdate === "config_option_update");
});
