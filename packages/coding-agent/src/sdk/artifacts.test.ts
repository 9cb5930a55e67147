/** Artifacts are stored with their session, or in a directory that is deleted with it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { modelsYml, playModel } from "@tau/ai/testing";
import { z } from "zod";
import { SessionManager } from "@tau/log";
import { defineTool, textResult } from "@tau/tools/tool";

import { createAgentSession } from "./create-agent-session.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-sdk-"));
	for (const name of ["agent", "project"]) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Runs a tool that stores its output, and returns its path and the session's file. */
async function run(sessionManager?: SessionManager): Promise<{ path: string; file: string | undefined }> {
	const [cwd, agentDir] = [join(base, "project"), join(base, "agent")];
	await using played = await playModel({
		steps: [{ answer: { blocks: [{ toolCall: { name: "long", arguments: {} } }] } }, "Done."],
	});
	writeFileSync(join(agentDir, "models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	let path = "";
	const long = defineTool({
		name: "long",
		label: "Long",
		prompt: "Says much.",
		concurrency: "shared",
		approval: "read",
		parameters: z.object({}),
		async execute(_, { artifacts }) {
			using artifact = artifacts.open("long");
			artifact.write(Buffer.from("all of it"));
			path = artifact.path;
			expect(readFileSync(path, "utf8")).toBe("all of it");
			expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
			return textResult("some of it");
		},
		view: { call: () => "long" },
	});
	const options = { cwd, agentDir, model: "played/played-1", customTools: [long] };
	const tau = await createAgentSession({ ...options, ...(sessionManager ? { sessionManager } : {}) });
	await tau.session.prompt({ text: "much, please" });
	await tau[Symbol.asyncDispose]();
	return { path, file: tau.sessionManager.getSessionFile() };
}

test("a stored session has its artifacts beside it", async () => {
	const { path, file } = await run();
	expect(path).toBe(join((file ?? "").slice(0, -".jsonl".length), "0.long.log"));
	expect(existsSync(path)).toBe(true);
});

test("a session without a file leaves no artifacts behind", async () => {
	const { path } = await run(SessionManager.inMemory());
	expect(path).toStartWith(join(tmpdir(), "tau-"));
	expect(path).toEndWith("/0.long.log");
	expect(existsSync(dirname(path))).toBe(false);
});
