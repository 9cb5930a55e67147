/** Approvals for programs: they answer requests, set the mode and see what was allowed; without an answer nothing unsafe runs. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelsYml, playModel, type PlayedModel } from "@tau/ai/testing";

import { createAgentSession, type CreateAgentSessionResult } from "./create-agent-session.ts";

let base = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-sdk-approvals-"));
	for (const name of ["agent", "project"]) mkdirSync(join(base, name));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function open(): Promise<{ tau: CreateAgentSessionResult; played: PlayedModel }> {
	const command = "node -e 1 && touch made";
	const call = { answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] } };
	const played = await playModel({ steps: [call, "Done."] });
	writeFileSync(join(base, "agent/models.yml"), modelsYml(played, { api: "anthropic-messages" }));
	writeFileSync(join(base, "agent/config.yml"), "permissions:\n  ask: ['Bash(node:*)']\n");
	const tau = await createAgentSession({
		cwd: join(base, "project"),
		agentDir: join(base, "agent"),
		model: "played/played-1",
		approvalMode: "ask",
	});
	return { tau, played };
}

const isMade = (): boolean => existsSync(join(base, "project/made"));

test("a program that answers requests approves calls", async () => {
	const { tau, played } = await open();
	await using _tau = tau;
	await using _played = played;
	const { session } = tau;
	expect(session.approvalMode).toBe("ask");
	const reasons: (string | undefined)[] = [];
	using _client = session.onRequest((request) => {
		if (request.kind !== "approval") return;
		reasons.push(request.reason);
		session.answer(request.id, { choice: "session" });
	});
	await session.prompt({ text: "go" });
	expect(reasons).toEqual([expect.stringContaining("the rule Bash(node:*)")]);
	expect(isMade()).toBe(true);
	const [grant] = await session.listGrants();
	expect(grant).toMatchObject({ scope: "session", tool: "bash", rule: "Bash(node -e 1 && touch made)" });
	await session.revokeGrant(grant?.id ?? "");
	expect(await session.listGrants()).toEqual([]);
});

test("without a client the call is refused; in full it runs", async () => {
	const refused = await open();
	await refused.tau.session.prompt({ text: "go" });
	expect(isMade()).toBe(false);
	expect(refused.played.requests[1]?.rawBody).toContain("nobody can answer here");
	await refused.tau[Symbol.asyncDispose]();
	await refused.played.close();
	const { tau, played } = await open();
	await using _tau = tau;
	await using _played = played;
	tau.session.setApprovalMode("full");
	await tau.session.prompt({ text: "go" });
	expect(isMade()).toBe(true);
});
