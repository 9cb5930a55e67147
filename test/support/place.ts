/** A place for tools in tests: a directory, default settings, artifacts beside it, nobody to ask. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { AgentTool, AgentToolResult } from "@tau/agent";
import { ArtifactDirectory } from "@tau/session/artifacts";
import type { SessionEvent } from "@tau/session/run";
import { Settings } from "@tau/session/settings";
import { type ToolPlace, Shelf } from "@tau/tools/tool";

import { testModel } from "./session.ts";

export interface TestPlace extends ToolPlace, AsyncDisposable {
	readonly settings: Settings;
	/** What tools told and said, in order. */
	readonly told: SessionEvent[];
	readonly said: string[];
}

/** Without a directory it makes one, which is gone with the place. */
export async function testPlace(more: Partial<ToolPlace> = {}): Promise<TestPlace> {
	const home = mkdtempSync(join(tmpdir(), "tau-place-"));
	const cwd = more.cwd ?? join(home, "work");
	if (more.cwd === undefined) mkdirSync(cwd);
	const shelf = new Shelf();
	const told: SessionEvent[] = [];
	const said: string[] = [];
	return {
		env: { PATH: process.env.PATH, HOME: home },
		resolve: (path) => resolve(cwd, path),
		artifacts: new ArtifactDirectory(() => join(home, "artifacts")),
		conversation: {
			model: testModel(),
			messages: [],
			tell: async (event) => void told.push(event),
			say: (text) => void said.push(text),
		},
		...more,
		cwd,
		settings: await Settings.load({ cwd, agentDir: join(home, "agent") }),
		shelf,
		told,
		said,
		async [Symbol.asyncDispose]() {
			await shelf[Symbol.asyncDispose]();
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

/** The text of a result, as the model reads it. */
export function textOf(result: AgentToolResult): string {
	return result.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
