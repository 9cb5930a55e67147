/** Programs and extensions create their own sessions as pi's documentation says. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createEventBus, type ExtensionAPI, type ToolDefinition } from "@tau/extensions/api";
import { Type } from "@tau/extensions/typebox";
import { SessionManager } from "@tau/log";

import { needs } from "../../../../test/support/needs.ts";
import { createTool } from "../builtin-tools.ts";
import { processScope } from "@tau/extensions/support";
import { createAgentSessionFromServices } from "./create-agent-session.ts";
import { DefaultResourceLoader } from "./resource-loader.ts";
import { createAgentSessionRuntime } from "./session-runtime.ts";
import { createAgentSessionServices } from "./session-services.ts";
import { SettingsManager } from "./settings-manager.ts";
import { sdkFixture } from "./testing/sdk-fixture.ts";

const sdk = sdkFixture();

const calls = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

describe("createAgentSession", () => {
	test("runs a prompt, streams its events, and returns the answer", async () => {
		await using _played = await sdk.play({ steps: ["Hello there."] });
		await using session = (await sdk.create()).session;
		const types: string[] = [];
		const stop = session.subscribe(({ type }) => void types.push(type));
		await session.prompt("hi");
		expect(session.getLastAssistantText()).toBe("Hello there.");
		expect(types).toContain("message_update");
		expect(types.at(-1)).toBe("agent_end");
		stop();
		expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
		expect(session.getSessionStats()).toMatchObject({ userMessages: 1, assistantMessages: 1 });
		expect(session.getUserMessagesForForking()).toMatchObject([{ text: "hi" }]);
	});

	test("a tool of the program is called by the model and can be the only one", async () => {
		await using played = await sdk.play({ steps: [calls("lookup", { word: "tau" }), "Done."] });
		const lookup: ToolDefinition = {
			name: "lookup",
			label: "Look up",
			description: "Looks a word up.",
			parameters: Type.Object({ word: Type.String() }),
			execute: async (_id, params) => ({
				content: [{ type: "text", text: `meaning of ${Object(params).word}` }],
			}),
		};
		await using session = (await sdk.create({ customTools: [lookup], noTools: "builtin" })).session;
		expect(session.getActiveToolNames()).toEqual(["lookup"]);
		await session.prompt("what is tau?");
		expect(played.requests[1]?.rawBody).toContain("meaning of tau");
	});

	test("the state of its agent can be assigned: messages, prompt, level and tools", async () => {
		await using played = await sdk.play({ steps: ["Yes.", "Again."] });
		await using session = (await sdk.create()).session;
		const { state } = session.agent;
		state.messages = [
			{ role: "user", content: "Remember the color blue.", timestamp: 1 },
			{ role: "user", content: "And the number seven.", timestamp: 2 },
		];
		state.systemPrompt = "You are a parrot.";
		state.tools = [{ name: "read" }];
		expect(state.messages).toHaveLength(2);
		expect({ ...state }).toMatchObject({ systemPrompt: "You are a parrot.", isStreaming: false });
		for (const text of ["first", "second"]) await session.prompt(text);
		for (const { rawBody, body } of played.requests) {
			expect(rawBody).toContain("the color blue");
			expect(body).toMatchObject({ system: [{ text: "You are a parrot." }], tools: [{ name: "read" }] });
		}
		expect(state.messages).toHaveLength(6);
		expect(session.state.messages).toHaveLength(6);
		expect(() => Object.assign(state, { isStreaming: true })).toThrow(TypeError);
	});

	test("only the named tools are active", async () => {
		await using _played = await sdk.play({ steps: [] });
		await using session = (await sdk.create({ tools: ["read", "ls"] })).session;
		expect(session.getActiveToolNames().toSorted()).toEqual(["ls", "read"]);
		await using none = (await sdk.create({ noTools: "all" })).session;
		expect(none.getActiveToolNames()).toEqual([]);
	});

	test("omp's disableExtensionDiscovery runs no extension but those that are named", async () => {
		await using _played = await sdk.play({ steps: [] });
		const tool = (name: string): string =>
			`export default (pi) => pi.registerTool({ name: "${name}", description: "x", parameters: { type: "object" }, execute: async () => ({ content: [] }) });`;
		const folder = join(sdk.agentDir, "extensions");
		mkdirSync(folder, { recursive: true });
		writeFileSync(join(folder, "found.ts"), tool("found"));
		const named = join(sdk.cwd, "named.ts");
		writeFileSync(named, tool("named"));
		const resourceLoaderOptions = { noSkills: true };
		const more = { resourceLoaderOptions, additionalExtensionPaths: [named] };
		await using all = (await sdk.create(more)).session;
		expect(all.getActiveToolNames()).toEqual(expect.arrayContaining(["found", "named"]));
		await using some = (await sdk.create({ ...more, disableExtensionDiscovery: true })).session;
		expect(some.getActiveToolNames()).toContain("named");
		expect(some.getActiveToolNames()).not.toContain("found");
		const loader = new DefaultResourceLoader({ cwd: sdk.cwd, agentDir: sdk.agentDir });
		await expect(sdk.create({ resourceLoader: loader, disableExtensionDiscovery: true })).rejects.toThrow(
			"set noExtensions",
		);
	});

	test("a loader's own prompt and inline extension both apply", async () => {
		await using played = await sdk.play({ steps: [calls("ping", {}), "Done."] });
		const received: string[] = [];
		const loader = new DefaultResourceLoader({
			cwd: sdk.cwd,
			agentDir: sdk.agentDir,
			noExtensions: true,
			systemPromptOverride: () => "You are a test.",
			appendSystemPrompt: ["Be brief."],
			agentsFilesOverride: () => ({ agentsFiles: [{ path: "/virtual/AGENTS.md", content: "Use tabs." }] }),
			extensionFactories: [
				(pi: ExtensionAPI) => {
					pi.on("tool_call", ({ toolName }) => void received.push(toolName));
					pi.registerTool({
						name: "ping",
						description: "Pings.",
						parameters: Type.Object({}),
						execute: async () => ({ content: [{ type: "text", text: "pong" }] }),
					});
				},
			],
		});
		await loader.reload();
		expect(loader.getExtensions().errors).toEqual([]);
		await using session = (await sdk.create({ resourceLoader: loader })).session;
		await session.prompt("go");
		expect(received).toEqual(["ping"]);
		expect(session.systemPrompt).toContain("You are a test.\n\nBe brief.");
		expect(played.requests[0]?.rawBody).toContain("Use tabs.");
		expect(played.requests[1]?.rawBody).toContain("pong");
	});

	test("an inline extension gets the start and the end of the session, once", async () => {
		await using _played = await sdk.play({ steps: [] });
		const received: string[] = [];
		const resourceLoaderOptions = {
			noExtensions: true,
			noSkills: true,
			extensionFactories: [
				(pi: ExtensionAPI) => {
					pi.on("session_start", () => void received.push("start"));
					pi.on("session_shutdown", () => void received.push("end"));
				},
			],
		};
		const { session } = await sdk.create({ resourceLoaderOptions });
		expect(received).toEqual([]);
		await session.bindExtensions();
		session.dispose();
		await session.disposed;
		expect(received).toEqual(["start", "end"]);
	});

	test("two sessions with one loader have their own extension instances", async () => {
		await using _played = await sdk.play({ steps: ["One.", "Two."] });
		let made = 0;
		const received: number[] = [];
		const factory = (pi: ExtensionAPI): void => {
			const own = ++made;
			pi.on("agent_start", () => void received.push(own));
		};
		const resourceLoader = new DefaultResourceLoader({
			cwd: sdk.cwd,
			agentDir: sdk.agentDir,
			noExtensions: true,
			extensionFactories: [factory],
		});
		await resourceLoader.reload();
		await using first = (await sdk.create({ resourceLoader })).session;
		await using second = (await sdk.create({ resourceLoader })).session;
		await second.prompt("hi");
		await first.prompt("hi");
		expect(received).toEqual([2, 1]);
	});

	test("a program talks to its extensions over a bus, and its inline templates can be called", async () => {
		await using played = await sdk.play({ steps: ["Deployed."] });
		const eventBus = createEventBus();
		const received: unknown[] = [];
		eventBus.on("status", (data) => void received.push(data));
		const resourceLoader = new DefaultResourceLoader({
			cwd: sdk.cwd,
			agentDir: sdk.agentDir,
			noExtensions: true,
			eventBus,
			extensionFactories: [
				(pi: ExtensionAPI) => {
					pi.events.on("ping", () => pi.events.emit("status", "pong"));
					pi.registerCommand("quiet", { handler: () => {} });
				},
			],
			promptsOverride: ({ prompts, diagnostics }) => ({
				prompts: [...prompts, { name: "deploy", content: "Deploy to $1 now." }],
				diagnostics,
			}),
		});
		await resourceLoader.reload();
		expect(resourceLoader.getExtensions().extensions).toHaveLength(1);
		await using session = (await sdk.create({ resourceLoader })).session;
		eventBus.emit("ping", undefined);
		expect(received).toEqual(["pong"]);
		const preflight: boolean[] = [];
		await session.prompt("/deploy staging", { preflightResult: (isAccepted) => preflight.push(isAccepted) });
		expect(played.requests[0]?.rawBody).toContain("Deploy to staging now.");
		expect(session.steer("/quiet")).rejects.toThrow("cannot be queued");
		expect(preflight).toEqual([true]);
	});

	test("a prompt during a run must say how it is queued", async () => {
		await using _played = await sdk.play({ steps: [calls("wait", {}), "Done.", "And more."] });
		const gate = Promise.withResolvers<void>();
		const begun = Promise.withResolvers<void>();
		const wait: ToolDefinition = {
			name: "wait",
			description: "Waits.",
			parameters: Type.Object({}),
			async execute() {
				begun.resolve();
				await gate.promise;
				return { content: [{ type: "text", text: "waited" }] };
			},
		};
		await using session = (await sdk.create({ customTools: [wait] })).session;
		const running = session.prompt("first");
		await begun.promise;
		expect(session.isStreaming).toBe(true);
		expect(session.prompt("second")).rejects.toThrow("streamingBehavior");
		await session.prompt("later", { streamingBehavior: "followUp" });
		expect(session.getFollowUpMessages()).toEqual(["later"]);
		gate.resolve();
		await running;
		expect(session.getLastAssistantText()).toBe("And more.");
	});

	needs("python3")("commands of the program run, and their output reaches the model", async () => {
		await using played = await sdk.play({ steps: ["Seen."] });
		await using session = (await sdk.create()).session;
		const chunks: string[] = [];
		const result = await session.executeBash("echo from-$((40+2))", (chunk) => void chunks.push(chunk));
		expect(result).toMatchObject({ exitCode: 0, cancelled: false });
		expect(chunks.join("")).toContain("from-42");
		const cell = await session.executePython("print('cell', 6 * 7)", (chunk) => void chunks.push(chunk));
		expect(cell).toMatchObject({ output: "cell 42", exitCode: 0, cancelled: false });
		expect(chunks.join("")).toContain("cell 42");
		await session.prompt("what did it say?");
		expect(played.requests[0]?.rawBody).toContain("from-42");
		expect(played.requests[0]?.rawBody).toContain("cell 42");
	});

	test("a session is exported as JSONL that opens again, and never overwrites a file", async () => {
		await using _played = await sdk.play({ steps: ["Kept."] });
		await using session = (await sdk.create()).session;
		await session.prompt("keep this");
		const path = session.exportToJsonl("copy.jsonl");
		expect(path).toBe(join(sdk.cwd, "copy.jsonl"));
		using copy = SessionManager.open(path);
		expect(copy.getEntries().map(({ id }) => id)).toEqual(
			session.sessionManager.getEntries().map(({ id }) => id),
		);
		expect(() => session.exportToJsonl("copy.jsonl")).toThrow("EEXIST");
	});

	test("the retry attempt is visible while it lasts", async () => {
		await using _played = await sdk.play({ steps: [{ fault: { http: 529 } }, "At last."] });
		const settingsManager = SettingsManager.inMemory({ retry: { enabled: true, baseDelayMs: 1 } });
		await using session = (await sdk.create({ settingsManager })).session;
		const attempts: number[] = [];
		session.subscribe(
			({ type }) => void (type.startsWith("auto_retry") && attempts.push(session.retryAttempt)),
		);
		await session.prompt("hi");
		expect(attempts).toEqual([1, 0]);
		expect(session.isIdle).toBe(true);
		expect(session.getLastAssistantText()).toBe("At last.");
	});

	test("the end of a session does not end commands that tools of extensions run outside of it", async () => {
		await using _played = await sdk.play({ steps: [] });
		const bash = createTool("bash", sdk.cwd);
		const fifo = join(sdk.cwd, "fifo");
		await Bun.$`mkfifo ${fifo}`;
		try {
			const begun = Promise.withResolvers<void>();
			// Open before it is announced: what is written while nobody has the pipe open is lost.
			const command = "exec 3<> fifo; echo begun; read word <&3; echo got $word";
			const running = bash.execute("1", { command }, undefined, () => begun.resolve());
			await begun.promise;
			writeFileSync(join(sdk.base, "file.ts"), "export default () => {};");
			const resourceLoaderOptions = { additionalExtensionPaths: [join(sdk.base, "file.ts")] };
			const { session } = await sdk.create({ resourceLoaderOptions });
			session.dispose();
			await session.disposed;
			// Opened for both, so that it does not wait for a reader that is gone.
			await Bun.$`bash -c ${`echo it 1<> ${fifo}`}`;
			expect(JSON.stringify((await running).content)).toContain("got it");
		} finally {
			await processScope[Symbol.asyncDispose]();
		}
	});

	test("moves to another point of its tree and continues from there", async () => {
		await using played = await sdk.play({ steps: ["One.", "Two."] });
		await using session = (await sdk.create()).session;
		await session.prompt("first way");
		const [said] = session.getUserMessagesForForking();
		const step = await session.navigateTree(said?.entryId ?? "");
		expect(step).toEqual({ cancelled: false, editorText: "first way" });
		await session.prompt("second way");
		expect(played.requests[1]?.rawBody).not.toContain("first way");
		expect(session.sessionManager.getTree()).toHaveLength(2);
	});
});

test("a session moves to others by itself, as omp's does, and keeps its listeners", async () => {
	await using played = await sdk.play({ steps: ["One.", "Two.", "Three.", "Four."] });
	await using session = (await sdk.create({ sessionManager: SessionManager.create(sdk.cwd, sdk.base) }))
		.session;
	const answers: string[] = [];
	session.subscribe(
		({ type }) => void (type === "agent_end" && answers.push(session.getLastAssistantText() ?? "")),
	);
	await session.prompt("an apple");
	const file = session.sessionFile ?? "";
	expect(await session.newSession({ parentSession: file })).toBe(true);
	expect(session.messages).toEqual([]);
	await session.prompt("a berry");
	expect(await session.switchSession(file)).toBe(true);
	const [message] = session.getUserMessagesForForking();
	expect(await session.branch(message?.entryId ?? "")).toEqual({
		selectedText: "an apple",
		selectedImages: [],
		cancelled: false,
	});
	await session.prompt("a cherry");
	expect(played.requests.at(-1)?.rawBody).not.toContain("an apple");
	expect(await session.fork()).toBe(true);
	await session.prompt("a date");
	expect(played.requests.at(-1)?.rawBody).toContain("a cherry");
	expect(answers).toEqual(["One.", "Two.", "Three.", "Four."]);
});

describe("AgentSessionRuntime", () => {
	test("an extension may cancel a session change", async () => {
		await using _played = await sdk.play({ steps: [] });
		const stay = (pi: ExtensionAPI): void => void pi.on("session_before_switch", () => ({ cancel: true }));
		const runtime = await createAgentSessionRuntime(
			async ({ sessionManager }) => {
				const resourceLoaderOptions = { noExtensions: true, noSkills: true, extensionFactories: [stay] };
				const services = await createAgentSessionServices({
					cwd: sdk.cwd,
					agentDir: sdk.agentDir,
					resourceLoaderOptions,
				});
				const model = "played/played-1";
				return { ...(await createAgentSessionFromServices({ services, sessionManager, model })), services };
			},
			{ cwd: sdk.cwd, agentDir: sdk.agentDir, sessionManager: SessionManager.inMemory(sdk.cwd) },
		);
		const { session } = runtime;
		expect(await runtime.newSession()).toEqual({ cancelled: true });
		expect(runtime.session).toBe(session);
		await runtime.dispose();
	});

	test("creates new sessions, forks them and returns to old ones", async () => {
		await using _played = await sdk.play({ steps: ["One.", "Two.", "Three."] });
		const runtime = await createAgentSessionRuntime(
			async ({ cwd: place, agentDir: home, sessionManager }) => {
				const services = await createAgentSessionServices({
					cwd: place,
					agentDir: home,
					resourceLoaderOptions: { noExtensions: true, noSkills: true },
				});
				const made = await createAgentSessionFromServices({
					services,
					sessionManager,
					model: "played/played-1",
				});
				return { ...made, services };
			},
			{
				cwd: sdk.cwd,
				agentDir: sdk.agentDir,
				sessionManager: SessionManager.create(sdk.cwd, join(sdk.base, "sessions")),
			},
		);
		await runtime.session.prompt("one");
		const first = runtime.session.sessionFile ?? "";
		expect(await runtime.newSession()).toEqual({ cancelled: false });
		expect(runtime.session.messages).toEqual([]);
		await runtime.session.prompt("two");
		const [said] = runtime.session.getUserMessagesForForking();
		const forked = await runtime.fork(said?.entryId ?? "");
		expect(forked).toEqual({ cancelled: false, selectedText: "two" });
		await runtime.switchSession(first);
		expect(runtime.session.getUserMessagesForForking()).toMatchObject([{ text: "one" }]);
		await runtime.dispose();
	});
});
