/** A program gets the session that it requests, in the directory that it names, and can release it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type PlayedModel, type Scenario } from "@tau/ai/testing";
import { z } from "zod";
import { SessionManager } from "@tau/log";
import type { SessionEvent } from "@tau/session";
import { UserRequests, type UserRequest } from "@tau/session/host";
import { builtinTools } from "@tau/integrations/builtin";
import { defineTool, textResult } from "@tau/tools/tool";

import { needs } from "../../../../test/support/needs.ts";
import { answer } from "../../../../test/support/compaction.ts";
import { testModel } from "../../../../test/support/session.ts";
import {
	createAgentSession,
	type CreateAgentSessionOptions,
	type CreateAgentSessionResult,
} from "./create-agent-session.ts";

let base = "";
let agentDir = "";
let cwd = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-sdk-"));
	[agentDir, cwd] = [join(base, "agent"), join(base, "project")];
	mkdirSync(agentDir);
	mkdirSync(cwd);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function play(scenario: Scenario): Promise<PlayedModel> {
	const played = await playModel(scenario);
	writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	return played;
}

/** In the directories of the test, with the played model. */
function create(options: CreateAgentSessionOptions = {}): Promise<CreateAgentSessionResult> {
	return createAgentSession({ cwd, agentDir, model: "played/played-1", ...options });
}

function lookup(name: string, says: string) {
	return defineTool({
		name,
		label: name,
		prompt: `Looks up ${name}.`,
		concurrency: "shared",
		approval: "read",
		parameters: z.object({}),
		execute: async () => textResult(says),
		view: { call: () => name },
	});
}

function toolNames({ session }: CreateAgentSessionResult): string[] {
	return session.state.tools.map(({ name }) => name);
}

test("the session is stored in the agent directory, and can be opened after it was released", async () => {
	await using _played = await play({ steps: ["Hello."] });
	const tau = await create();
	await tau.session.prompt({ text: "hi" });
	const file = tau.sessionManager.getSessionFile() ?? "";
	expect(file).toStartWith(join(agentDir, "sessions"));
	const busy = SessionManager.tryOpen(file);
	expect(busy).toMatchObject({ ok: false, reason: "locked" });
	tau.dispose();
	const opened = SessionManager.tryOpen(file);
	expect(opened.ok).toBe(true);
	if (opened.ok) opened.session[Symbol.dispose]();
});

test("a resumed session continues with its messages and its model", async () => {
	await using played = await play({ steps: ["Hello.", "Again."] });
	using log = SessionManager.inMemory(cwd);
	{
		using first = await create({ sessionManager: log });
		await first.session.prompt({ text: "one" });
	}
	using second = await createAgentSession({ agentDir, sessionManager: log });
	await second.session.prompt({ text: "two" });
	expect(second.session.model.id).toBe("played-1");
	expect(played.requests[1]?.rawBody).toMatch(/one.*Hello\..*two/);
});

test("shortened results of a resumed session are complete for the model", async () => {
	await using played = await play({ steps: ["Known."] });
	using log = SessionManager.inMemory(cwd);
	log.appendMessage({ role: "user", content: "look", timestamp: 1 });
	const call = { type: "toolCall" as const, id: "call", name: "lookup", arguments: {} };
	log.appendMessage(answer([call]));
	const content = [{ type: "text" as const, text: "all of it" }];
	const stored = { toolCallId: "call", toolName: "lookup", input: {}, content };
	const entryId = log.appendCustomEntry("mu_tool_result_full_v1", stored);
	log.appendMessage({
		role: "toolResult",
		toolCallId: "call",
		toolName: "lookup",
		content: [{ type: "text", text: "(short)" }],
		details: { _mu: { toolCallId: "call", entryId } },
		isError: false,
		timestamp: 3,
	});
	await using made = await create({ sessionManager: log });
	await made.session.prompt({ text: "and now" });
	expect(played.requests[0]?.rawBody).toContain("all of it");
	expect(played.requests[0]?.rawBody).not.toContain("(short)");
});

test("a custom model of the program is called with its key", async () => {
	await using played = await play({ steps: ["Hello."] });
	const model = testModel({ provider: "mine", baseUrl: played.anthropicUrl });
	using tau = await create({ model, apiKey: "key-of-mine", sessionManager: SessionManager.inMemory(cwd) });
	await tau.session.prompt({ text: "hi" });
	expect(played.requests[0]?.headers["x-api-key"]).toBe("key-of-mine");
});

test("an unknown model or tool is rejected with suggestions", async () => {
	await using _played = await play({ steps: [] });
	await expect(create({ model: "played/played-2" })).rejects.toThrow("played");
	await expect(create({ tools: ["raed"] })).rejects.toThrow('There is no tool "raed". Did you mean read?');
});

test("tools are the built-in ones and the program's own, by name, or none", async () => {
	await using _played = await play({ steps: [] });
	const customTools = [lookup("weather", "sun"), lookup("read", "a story")];
	// Those of agents and of plan mode come when they are of use, and others are searched for.
	const atFirst = builtinTools.filter(
		(tool) => !tool.isForAgents && tool.searchHint === undefined && tool.name !== "submit_plan",
	);
	const builtin = atFirst.map(({ name }) => name);
	const asked: [CreateAgentSessionOptions, string[]][] = [
		[{}, [...builtin, "search_tools"]],
		[{ customTools }, [...builtin.filter((name) => name !== "read"), "search_tools", "weather", "read"]],
		[{ customTools, noTools: "builtin" }, ["weather", "read"]],
		[{ customTools, noTools: "all" }, []],
		[{ customTools, tools: ["weather", "bash"] }, ["bash", "weather"]],
	];
	for (const [options, names] of asked) {
		using tau = await create({ ...options, sessionManager: SessionManager.inMemory(cwd) });
		expect(toolNames(tau)).toEqual(names);
	}
});

test("prompts, thinking and settings reach the session", async () => {
	await using played = await play({ steps: ["Hello."] });
	writeFileSync(join(agentDir, "config.yml"), "steeringMode: all\n");
	using tau = await create({
		systemPrompt: "Be brief.",
		appendSystemPrompt: "And kind.",
		thinkingLevel: "high",
		sessionManager: SessionManager.inMemory(cwd),
	});
	await tau.session.prompt({ text: "hi" });
	expect(tau.session.state).toMatchObject({ thinkingLevel: "high", steeringMode: "all" });
	expect(played.requests[0]?.rawBody).toContain("Be brief.\\n\\nAnd kind.");
});

test("the program's budget ends the run", async () => {
	const again = { answer: { blocks: [{ toolCall: { name: "weather", arguments: {} } }] }, times: 5 };
	await using played = await play({ steps: [again] });
	using tau = await create({
		customTools: [lookup("weather", "sun")],
		budget: { maxTurns: 2 },
		sessionManager: SessionManager.inMemory(cwd),
	});
	const events: SessionEvent[] = [];
	tau.session.subscribe((event) => void events.push(event));
	await tau.session.prompt({ text: "hi" });
	expect(events).toContainEqual(expect.objectContaining({ type: "budget_exhausted", limit: "turns" }));
	expect(played.requests).toHaveLength(2);
});

test("the model works until the program's goal is reached", async () => {
	await using played = await play({ steps: ["Done.", "Really done.", "Hi."] });
	using tau = await create({ sessionManager: SessionManager.inMemory(cwd) });
	tau.session.setGoal("test -e a || { touch a; false; }");
	expect(tau.session.goal).toMatchObject({ check: expect.stringContaining("test -e a"), attempts: 0 });
	await tau.session.prompt({ text: "work" });
	expect(played.requests).toHaveLength(2);
	expect(tau.session.goal).toBeUndefined();
});

test("a program reads and replaces the todo list", async () => {
	await using played = await play({ steps: ["Seen."] });
	using tau = await create({ sessionManager: SessionManager.inMemory(cwd) });
	expect(tau.session.todos).toEqual([]);
	await tau.session.setTodos([{ name: "Work", tasks: [{ content: "alpha", status: "pending" }] }]);
	expect(tau.session.todos).toMatchObject([{ tasks: [{ content: "alpha", status: "in_progress" }] }]);
	await tau.session.prompt({ text: "go on" });
	expect(played.requests[0]?.rawBody).toContain("The user has edited the todo list");
});

test("a failed turn is retried as the settings say", async () => {
	await using _played = await play({ steps: [{ fault: { http: 529 } }, "Hello."] });
	writeFileSync(join(agentDir, "config.yml"), "retry:\n  baseDelayMs: 1\n");
	using tau = await create({ sessionManager: SessionManager.inMemory(cwd) });
	const received: string[] = [];
	tau.session.subscribe(({ type }) => void received.push(type));
	await tau.session.prompt({ text: "hi" });
	expect(received).toContain("auto_retry_start");
	expect(tau.session.state.messages.at(-1)).toMatchObject({ content: [{ text: "Hello." }] });
});

test("mistakes in files are reported to the program", async () => {
	await using _played = await play({ steps: [] });
	writeFileSync(join(agentDir, "config.yml"), "steeringMod: all\n");
	const notices: string[] = [];
	using _tau = await create({
		onNotice: (message) => void notices.push(message),
		sessionManager: SessionManager.inMemory(cwd),
	});
	expect(notices).toEqual([expect.stringContaining("steeringMod")]);
});

test("an unusable default is reported, and another model is used", async () => {
	await using _played = await play({ steps: [] });
	writeFileSync(join(agentDir, "config.yml"), "modelRoles:\n  default: nobody/nothing\n");
	using tau = await createAgentSession({ cwd, agentDir, sessionManager: SessionManager.inMemory(cwd) });
	expect(tau.modelNotices).toEqual([
		expect.stringContaining("The default model in config.yml is not available."),
	]);
	expect(tau.modelRegistry.isAvailable(tau.session.model)).toBe(true);
});

needs("python3")(
	"a program runs cells in both languages, and the model reads them unless they are private",
	async () => {
		await using played = await play({ steps: ["I see."] });
		await using made = await create();
		expect(await made.session.cell("sum(range(10))")).toMatchObject({ output: "45", exitCode: 0 });
		expect(await made.session.cell("[3, 4].at(-1)", { language: "js" })).toMatchObject({ output: "4" });
		await made.session.cell("'hidden words'", { isPrivate: true });
		await made.session.prompt({ text: "go" });
		const { rawBody: body = "" } = played.requests[0] ?? {};
		expect(["sum(range(10))", "[3, 4].at(-1)", "hidden words"].map((text) => body.includes(text))).toEqual([
			true,
			true,
			false,
		]);
	},
);

describe("hooks", () => {
	const command = { toolCall: { name: "bash", arguments: { command: "echo done > made" } } };
	const forbids = {
		PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo not today >&2; exit 2" }] }],
	};

	test.each([
		["of the program", forbids],
		["of the user's files, if the program enables them", true],
	])("%s run before tools", async (_, hooks) => {
		await using played = await play({ steps: [{ answer: { blocks: [command] } }, "Well."] });
		if (hooks === true) writeFileSync(join(agentDir, "hooks.json"), JSON.stringify({ hooks: forbids }));
		await using made = await create({ hooks });
		await made.session.prompt({ text: "go" });
		expect(existsSync(join(cwd, "made"))).toBe(false);
		expect(played.requests[1]?.rawBody).toContain("not today");
	});

	test("are none by default, and one that cannot be run is rejected", async () => {
		await using _played = await play({ steps: [{ answer: { blocks: [command] } }, "Well."] });
		writeFileSync(join(agentDir, "hooks.json"), JSON.stringify({ hooks: forbids }));
		await using made = await create();
		await made.session.prompt({ text: "go" });
		expect(existsSync(join(cwd, "made"))).toBe(true);
		await expect(create({ hooks: { PreToolUsed: [] } })).rejects.toThrow('unknown event "PreToolUsed"');
	});

	test.each([
		["yes", true],
		["no", false],
	])("of a project run only after the program trusts it: %s", async (_, trusted) => {
		await using _played = await play({ steps: [{ answer: { blocks: [command] } }, "Well."] });
		mkdirSync(join(cwd, ".tau"));
		writeFileSync(join(cwd, ".tau/hooks.json"), JSON.stringify({ hooks: forbids }));
		const requests = new UserRequests();
		const received: UserRequest[] = [];
		using _client = requests.connect({
			kinds: new Set(["trust"]),
			open(request) {
				received.push(request);
				requests.answer(request.id, { trusted, remember: false });
			},
		});
		await using made = await create({ hooks: true, requests });
		expect(received).toMatchObject([
			{ kind: "trust", project: cwd, runs: [{ path: join(cwd, ".tau/hooks.json") }] },
		]);
		await made.session.prompt({ text: "go" });
		expect(existsSync(join(cwd, "made"))).toBe(!trusted);
	});
});

test("extensions of the program, functions and files, are loaded for the whole session", async () => {
	await using played = await play({
		steps: [{ answer: { blocks: [{ toolCall: { name: "look_up", arguments: {} } }] } }, "Found."],
	});
	const file = join(base, "mine.ts");
	writeFileSync(
		file,
		`export default (pi) => pi.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: systemPrompt + " Be kind." }));`,
	);
	const received: string[] = [];
	{
		await using made = await create({
			extensions: [
				file,
				function lookUp(pi) {
					pi.on("session_start", (_event, { mode, hasUI }) => void received.push(`start ${mode} ${hasUI}`));
					pi.on("session_shutdown", ({ reason }) => void received.push(`end ${reason}`));
					pi.registerTool({
						name: "look_up",
						description: "Looks things up.",
						parameters: { type: "object", properties: {} },
						execute: async () => ({ content: [{ type: "text", text: "it is 42" }] }),
					});
				},
				() => {
					throw new Error("not today");
				},
			],
			tools: ["read", "look_up"],
			onNotice: (message) => void received.push(message),
		});
		expect(toolNames(made)).toEqual(["read", "look_up"]);
		await made.session.prompt({ text: "go" });
	}
	expect(received).toEqual([
		expect.stringMatching(/^The extension <inline:3> was not loaded: not today/),
		"start print false",
		"end quit",
	]);
	expect(played.requests[0]?.rawBody).toContain("Be kind.");
	expect(played.requests[1]?.rawBody).toContain("it is 42");
});
