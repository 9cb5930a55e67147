/** An environment for tools in tests: a directory, default settings, artifacts, and no user to ask. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { AgentTool, AgentToolResult } from "@tau/agent";
import { addToArchive, localMachine, withObserver } from "@tau/sys";
import { ArtifactDirectory } from "@tau/session/artifacts";
import { ChangeJournal } from "@tau/log/journal";
import type { TerminalViewer } from "@tau/session/host";
import type { SessionEvent } from "@tau/session/run";
import { Settings } from "@tau/config/settings";
import {
	keysOfServices,
	planMode,
	SessionServices,
	userQuestions,
	userTerminals,
	type AskUser,
	type PlanControl,
	type ServiceKeys,
	type ToolEnv,
} from "@tau/tools/tool";

import { testModel } from "./session.ts";

export interface TestToolEnv extends ToolEnv, AsyncDisposable {
	readonly settings: Settings;
	readonly journal: ChangeJournal;
	/** The events of tools, in order. */
	readonly events: SessionEvent[];
	readonly delivered: string[];
}

export interface TestToolEnvOptions extends Partial<ToolEnv> {
	ask?: AskUser;
	keys?: ServiceKeys;
	plan?: PlanControl;
	terminals?: TerminalViewer;
}

/** Creates a directory if none is given, and deletes it on disposal. */
export async function testToolEnv({
	ask,
	keys,
	plan,
	terminals,
	...more
}: TestToolEnvOptions = {}): Promise<TestToolEnv> {
	const home = mkdtempSync(join(tmpdir(), "tau-place-"));
	const cwd = more.cwd ?? join(home, "work");
	if (more.cwd === undefined) mkdirSync(cwd);
	const services = new SessionServices();
	services.provide(keysOfServices, keys);
	services.provide(userQuestions, () => ask);
	services.provide(planMode, plan);
	services.provide(userTerminals, () => terminals);
	const journal = new ChangeJournal();
	const events: SessionEvent[] = [];
	const delivered: string[] = [];
	return {
		machine: withObserver(localMachine(), journal),
		env: { PATH: process.env.PATH, HOME: home },
		resolve: (path) => resolve(cwd, path),
		artifacts: new ArtifactDirectory(() => join(home, "artifacts")),
		session: {
			model: testModel(),
			messages: [],
			history: () => [],
			hasTool: () => true,
			emit: async (event) => void events.push(event),
			deliver: (text) => void delivered.push(text),
		},
		isTrusted: () => false,
		mayRunProject: () => true,
		...more,
		journal,
		cwd,
		settings: await Settings.load({ cwd, agentDir: join(home, "agent") }),
		services,
		events,
		delivered,
		async [Symbol.asyncDispose]() {
			await services[Symbol.asyncDispose]();
			rmSync(home, { recursive: true, force: true });
		},
	};
}

/** Calls a tool as the loop does: checks the arguments first, and reports what is wrong with them. */
export async function callTool(
	tool: AgentTool,
	args: Record<string, unknown>,
	signal: AbortSignal = new AbortController().signal,
	onUpdate: (partial: AgentToolResult) => void = () => {},
): Promise<AgentToolResult> {
	const valid = tool.validate(args);
	if (!valid.ok) return { content: [{ type: "text", text: valid.reason }], isError: true };
	return tool.execute("call-1", valid.value, signal, onUpdate);
}

/** Puts one file into an archive on disk. */
export async function writeArchiveEntry(
	path: string,
	entry: string,
	content: Uint8Array | string,
): Promise<{ ok: boolean }> {
	const old = existsSync(path) ? readFileSync(path) : undefined;
	const made = await addToArchive(path, old, entry, content);
	if (made.ok) writeFileSync(path, made.bytes);
	return { ok: made.ok };
}

/** The text of a result, as the model reads it. */
export function textOf(result: AgentToolResult): string {
	return result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
