/** Promise 10: the user's hooks and rules apply. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, openHome, projectFile, saidIn } from "../home.ts";
import type { Row } from "../row.ts";

async function checkHook(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "echo yes > ran" })],
		hooks: { PreToolUse: `echo "the deck is closed" >&2; exit 2` },
	});
	await using session = await client.open(home);
	await session.prompt("run it");
	expect(projectFile(home, "ran")).toBe("");
	expect(saidIn(home.played.requests[1])).toContain("the deck is closed");
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
	expect(saidIn(home.played.requests[1])).toContain("This ship carries no lodash.");
}

export const policy: readonly Row[] = [
	{ id: "policy/hook", title: "a PreToolUse hook stops a call", check: checkHook },
	{ id: "policy/rule", title: "a rule of the user is in the system prompt", check: checkRule },
	{
		id: "policy/interrupting-rule",
		title: "a rule with a condition interrupts the answer that breaks it",
		check: checkInterruptingRule,
	},
];
