/** Programs that load extensions, run modes and manage packages themselves can use pi's functions for it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";
import { setTrusted } from "@tau/extensions/trust";
import { Type } from "@tau/extensions/typebox";
import { SessionManager } from "@tau/log";

import { ompExports } from "../omp.ts";
import { AuthStorage } from "./auth-storage.ts";
import { createAgentSessionFromServices } from "./create-agent-session.ts";
import { ExtensionRunner } from "./extension-runner.ts";
import * as loading from "./load-extensions.ts";
import { ModelRuntime, resolveCliModel, resolveModelScopeWithDiagnostics } from "./model-runtime.ts";
import { ModelRegistry } from "./model-registry.ts";
import { DefaultPackageManager } from "./package-manager.ts";
import { InteractiveMode, runPrintMode, runRpcMode } from "./run-modes.ts";
import { createAgentSessionRuntime } from "./session-runtime.ts";
import { createAgentSessionServices } from "./session-services.ts";
import { hasTrustRequiringProjectResources, ProjectTrustStore } from "./trust-store.ts";

let base = "";
let agentDir = "";
let cwd = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-programs-"));
	[agentDir, cwd] = [join(base, "agent"), join(base, "project")];
	for (const path of [agentDir, cwd]) mkdirSync(path);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function runner(extensions: ConstructorParameters<typeof ExtensionRunner>[0]): ExtensionRunner {
	const registry = ModelRegistry.inMemory(AuthStorage.inMemory());
	// The program supplies the values of a context.
	const models = registry as unknown as ConstructorParameters<typeof ExtensionRunner>[4];
	return new ExtensionRunner(
		extensions,
		loading.createExtensionRuntime(),
		cwd,
		SessionManager.inMemory(cwd),
		models,
	);
}

describe("extensions", () => {
	test("are loaded from files and run by the program; a failing one is reported", async () => {
		writeFileSync(
			join(base, "good.ts"),
			`export default (pi) => {
				pi.on("session_before_switch", () => ({ cancel: true }));
				pi.on("session_before_switch", () => ({ cancel: false }));
				pi.on("turn_start", () => { throw new Error("oops"); });
				pi.registerCommand("hi", { handler() {} });
				pi.registerFlag("loud", { type: "boolean", default: true });
			};`,
		);
		writeFileSync(join(base, "bad.ts"), "export default 5;");
		const loaded = await loading.loadExtensions([join(base, "good.ts"), join(base, "bad.ts")], cwd);
		expect(loaded.errors.map(({ path }) => path)).toEqual([join(base, "bad.ts")]);
		const run = runner(loaded.extensions);
		const failures: string[] = [];
		run.onError(({ error }) => void failures.push(error));
		expect(run.hasHandlers("session_before_switch")).toBe(true);
		expect(await run.emit({ type: "session_before_switch" })).toEqual({ cancel: true });
		await run.emit({ type: "turn_start" });
		expect(failures).toEqual(["oops"]);
		expect(run.getCommand("hi")?.name).toBe("hi");
		expect([...run.getFlags().keys()]).toEqual(["loud"]);
		expect(run.getExtensionPaths()).toEqual([join(base, "good.ts")]);
	});

	test("an input, context or result changed by one is what the next one sees", async () => {
		const extension = await loading.loadExtensionFromFactory((pi) => {
			pi.on("input", ({ text }) => ({ action: "transform", text: `${text}!` }));
			pi.on("input", ({ text }) => ({ action: "transform", text: `${text}?` }));
			pi.on("context", ({ messages }) => ({ messages: messages.slice(1) }));
			pi.on("tool_call", () => ({ block: true, reason: "no" }));
		}, cwd);
		const run = runner([extension]);
		expect(await run.emitInput("hi", undefined, "interactive")).toMatchObject({
			action: "transform",
			text: "hi!?",
		});
		expect(await run.emitContext([1, 2, 3])).toEqual([2, 3]);
		expect(await run.emitToolCall({ type: "tool_call" })).toEqual({ block: true, reason: "no" });
		expect(await run.emitBeforeProviderRequest({ a: 1 })).toEqual({ a: 1 });
	});

	test("a tool of one runs as the loop runs tools", async () => {
		const extension = await loading.loadExtensionFromFactory((pi) => {
			pi.registerTool({
				name: "twice",
				description: "Doubles.",
				parameters: Type.Object({ n: Type.Number() }),
				execute: async (_id, params, _signal, _update, ctx) => ({
					content: [{ type: "text", text: `${2 * Object(params).n} in ${ctx.cwd}` }],
				}),
			});
		}, cwd);
		const run = runner([extension]);
		const [tool] = loading.wrapRegisteredTools(run.getAllRegisteredTools(), run);
		expect(tool?.validate({ n: "x" }).ok).toBe(false);
		const { signal } = new AbortController();
		const result = await tool?.execute("1", { n: 21 }, signal, () => {});
		expect(result?.content).toEqual([{ type: "text", text: `42 in ${cwd}` }]);
		expect(await loading.emitSessionShutdownEvent(run)).toBe(false);
	});

	test("acting before there is a session throws", () => {
		expect(() => loading.createExtensionRuntime().actions).toThrow("not initialized");
	});
});

describe("modes", () => {
	test("print mode prints the last answer and returns an exit code; the others say how to start them", async () => {
		await using played = await playModel({ steps: ["One.", "Two."] });
		writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		const runtime = await createAgentSessionRuntime(
			async ({ sessionManager }) => {
				const resourceLoaderOptions = { noExtensions: true, noSkills: true };
				const services = await createAgentSessionServices({ cwd, agentDir, resourceLoaderOptions });
				const model = "played/played-1";
				return { ...(await createAgentSessionFromServices({ services, sessionManager, model })), services };
			},
			{ cwd, agentDir, sessionManager: SessionManager.inMemory(cwd) },
		);
		expect(runRpcMode(runtime)).rejects.toThrow("--mode rpc");
		expect(new InteractiveMode(runtime).run()).rejects.toThrow("Start tau");
		let printed = "";
		const code = await runPrintMode(
			runtime,
			{ initialMessage: "a", messages: ["b"] },
			(text) => void (printed += text),
		);
		expect([code, printed]).toEqual([0, "Two.\n"]);
	});
});

describe("models", () => {
	test("a runtime calls them with its keys", async () => {
		await using played = await playModel({ steps: ["Hello."] });
		writeFileSync(join(base, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
		const modelRuntime = await ModelRuntime.create({
			authPath: join(base, "auth.json"),
			modelsPath: join(base, "models.yml"),
		});
		const model = modelRuntime.getModel("played", "played-1");
		if (!model) throw new Error("the played model is missing");
		await modelRuntime.setRuntimeApiKey("played", "runtime-key");
		const context = { messages: [{ role: "user" as const, content: "hi", timestamp: 0 }] };
		const answer = await modelRuntime.streamSimple(model, context).result();
		expect(answer.content).toMatchObject([{ type: "text", text: "Hello." }]);
		expect(JSON.stringify(played.requests[0]?.headers)).toContain("runtime-key");
		expect(modelRuntime.getProvider("played")).toBeDefined();
		expect((await modelRuntime.getAvailable("played")).length).toBeGreaterThan(0);
	});

	test("model patterns work as on the command line", async () => {
		const modelRuntime = await ModelRuntime.create({ authPath: join(base, "auth.json"), modelsPath: null });
		const [some] = modelRuntime.getModels("anthropic");
		const asked = resolveCliModel({ cliModel: `anthropic/${some?.id}:high`, modelRuntime });
		expect([asked.model?.id, asked.thinkingLevel, asked.error]).toEqual([some?.id, "high", undefined]);
		expect(resolveCliModel({ cliModel: "no-such-model-at-all", modelRuntime }).error).toBeString();
		const scope = await resolveModelScopeWithDiagnostics(["anthropic/*", "nothing-*"], modelRuntime);
		expect(scope.scopedModels.length).toBeGreaterThan(0);
		expect(scope.diagnostics).toMatchObject([{ pattern: "nothing-*" }]);
	});
});

describe("packages and trust", () => {
	test("a local package is installed, listed with its contents, and removed", async () => {
		const source = join(base, "pack");
		mkdirSync(join(source, "skills/one"), { recursive: true });
		writeFileSync(
			join(source, "package.json"),
			JSON.stringify({ name: "pack", version: "1.0.0", pi: { skills: ["skills"] } }),
		);
		writeFileSync(join(source, "skills/one/SKILL.md"), "---\nname: one\ndescription: One\n---\n");
		const manager = new DefaultPackageManager({ cwd, agentDir });
		const received: string[] = [];
		manager.setProgressCallback(({ type, action }) => void received.push(`${action} ${type}`));
		await manager.installAndPersist(source);
		expect(manager.listConfiguredPackages()).toMatchObject([{ scope: "user" }]);
		expect((await manager.resolve()).skills.map(({ path }) => path).join()).toContain("SKILL.md");
		expect(await manager.removeAndPersist("pack")).toBe(true);
		expect(await manager.removeAndPersist("pack")).toBe(false);
		expect(manager.listConfiguredPackages()).toEqual([]);
		expect(received).toEqual(["install start", "install complete", "remove start", "remove complete"]);
		expect(manager.install("npm:bad name")).rejects.toThrow();
		expect(existsSync(source)).toBe(true);
	});

	test("an extension can revoke trust, but not grant it", () => {
		const store = new ProjectTrustStore(agentDir);
		expect(store.get(cwd)).toBeNull();
		expect(() => store.set(cwd, true)).toThrow("Only the user");
		setTrusted(cwd, agentDir, true);
		expect(store.getEntry(cwd)).toEqual({ path: cwd, decision: true });
		store.set(cwd, false);
		expect(store.get(cwd)).toBe(false);
		expect(hasTrustRequiringProjectResources(cwd)).toBe(false);
		mkdirSync(join(cwd, ".pi/extensions"), { recursive: true });
		expect(hasTrustRequiringProjectResources(cwd)).toBe(true);
	});
});

test("omp's additions to pi's package are exported", async () => {
	const omp = ompExports() as {
		settings: { get(path: string): unknown; override(path: string, value: unknown): void };
		bashExecutionToText(message: object): string;
		loadEntriesFromFile(path: string): Promise<{ type: string }[]>;
		listSessions(cwd: string, directory: string): Promise<{ firstMessage: string }[]>;
		READ_ONLY_TOOL_NAMES: string[];
		z: { string(): { parse(value: unknown): string } };
	};
	expect(omp.settings.get("compaction.enabled")).toBe(true);
	omp.settings.override("compaction.enabled", false);
	expect(omp.settings.get("compaction.enabled")).toBe(false);
	const ran = {
		role: "bashExecution",
		command: "ls",
		output: "a.txt",
		exitCode: 0,
		cancelled: false,
		truncated: false,
		timestamp: 0,
	};
	expect(omp.bashExecutionToText(ran)).toContain("a.txt");
	expect(omp.READ_ONLY_TOOL_NAMES).toContain("read");
	expect(omp.z.string().parse("x")).toBe("x");
	const directory = join(base, "sessions");
	using log = SessionManager.create(cwd, directory);
	log.appendMessage({ role: "user", content: "remember me", timestamp: 0 });
	log.flushSync();
	expect(await omp.listSessions(cwd, directory)).toMatchObject([{ firstMessage: "remember me" }]);
	expect((await omp.loadEntriesFromFile(log.getSessionFile() ?? "")).map(({ type }) => type)).toEqual([
		"session",
		"message",
	]);
});
