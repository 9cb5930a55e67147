/** Promise 10: the user's hooks and rules apply. */
import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import type { Client } from "../client.ts";
import { call, openHome, projectFile, conversationIn, until, type Setup } from "../home.ts";
import type { Row } from "../row.ts";

const denying: Setup = {
	steps: [call("bash", { command: "echo yes > ran" })],
	hooks: { PreToolUse: `echo "the deck is closed" >&2; exit 2` },
};

async function checkHook(client: Client): Promise<void> {
	await using home = await openHome(denying);
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(projectFile(home, "ran")).toBe("");
	expect(conversationIn(home.played.requests[1])).toContain("the deck is closed");
}

async function checkDenied(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "touch ran" })],
		settings: "permissions:\n  deny: ['Bash(touch:*)']\n",
	});
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(existsSync(join(home.project, "ran"))).toBe(false);
	expect(conversationIn(home.played.requests[1])).toContain("the rule Bash(touch:*)");
}

async function checkApproval(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "echo yes > ran" })],
		settings: "permissions:\n  ask: ['Bash(echo:*)']\n",
	});
	await using session = await client.open(home);
	await session.submit("write it");
	await session.answer(/^yes, once/i);
	await home.played.waitForEnd(2);
	await session.idle();
	expect(projectFile(home, "ran")).toBe("yes\n");
}

async function checkRule(client: Client): Promise<void> {
	await using home = await openHome({ rules: { tidy: "Always coil the ropes.\n" } });
	await using session = await client.open(home);
	await session.prompt("one");
	expect(home.played.requests[0]?.rawBody.includes("Always coil the ropes.")).toBe(true);
}

async function checkInterruptingRule(client: Client): Promise<void> {
	await using home = await openHome({
		steps: ["I would use lodash here."],
		rules: { lodash: '---\ncondition: "lodash"\nscope: text\n---\nThis ship carries no lodash.\n' },
	});
	await using session = await client.open(home);
	await session.prompt("one");
	expect(home.played.requests).toHaveLength(2);
	expect(home.played.requests[0]?.rawBody.includes("This ship carries no lodash.")).toBe(false);
	expect(conversationIn(home.played.requests[1])).toContain("This ship carries no lodash.");
}

/** Opens a session with pi's SDK, as extensions with subagents do, and has it run a prompt. */
const delegate = `import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgentSession, SessionManager } from "@earendil-works/pi-coding-agent";
export default (pi) => {
	pi.registerCommand("delegate", {
		async handler(_args, ctx) {
			const { cwd, model } = ctx;
			const agentDir = join(import.meta.dir, "..");
			const sessionManager = SessionManager.inMemory(cwd);
			const { session } = await createAgentSession({ cwd, agentDir, model, sessionManager });
			await session.prompt("run it");
			session.dispose();
			writeFileSync(join(cwd, "delegated"), "yes");
		},
	});
};`;

async function checkNestedHook(client: Client): Promise<void> {
	await using home = await openHome({ ...denying, extensions: { delegate } });
	await using session = await client.open(home);
	await session.submit("/delegate");
	await until("the nested session has ended", () => projectFile(home, "delegated") === "yes");
	expect(projectFile(home, "ran")).toBe("");
	expect(conversationIn(home.played.requests[1])).toContain("the deck is closed");
}

export const policy: readonly Row[] = [
	{ id: "policy/hook", title: "a PreToolUse hook stops a call", check: checkHook },
	{
		id: "policy/nested-hook",
		title: "a PreToolUse hook stops a call of a session that an extension opens with pi's SDK",
		check: checkNestedHook,
	},
	{ id: "policy/denied", title: "a permission rule of the user denies a command", check: checkDenied },
	{
		id: "policy/approval",
		title: "a call that a permission rule asks about runs after a yes",
		needs: ["answer"],
		check: checkApproval,
	},
	{ id: "policy/rule", title: "a rule of the user is in the system prompt", check: checkRule },
	{
		id: "policy/interrupting-rule",
		title: "a rule with a condition interrupts the answer that breaks it",
		check: checkInterruptingRule,
	},
];
