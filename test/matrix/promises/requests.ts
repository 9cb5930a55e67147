/** Promise 5: a question of the model, or of a hook, can be answered. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { call, lastRequest, openHome, projectFile, conversationIn } from "../home.ts";
import type { Row } from "../row.ts";

function checkAsk(how: "answer" | "answerListed"): (client: Client) => Promise<void> {
	return async (client) => {
		const questions = [{ question: "Which color?", options: [{ label: "red" }, { label: "blue" }] }];
		await using home = await openHome({ steps: [call("ask", { questions })] });
		await using session = await client.open(home);
		await session.submit("paint it");
		await session[how](/^blue$/);
		await home.played.waitForEnd(2);
		await session.idle();
		expect(conversationIn(lastRequest(home))).toContain("> blue");
	};
}

async function checkHook(client: Client): Promise<void> {
	const decision = {
		hookSpecificOutput: {
			hookEventName: "PreToolUse",
			permissionDecision: "ask",
			permissionDecisionReason: "it writes",
		},
	};
	await using home = await openHome({
		steps: [call("bash", { command: "echo yes > ran" })],
		hooks: { PreToolUse: `echo '${JSON.stringify(decision)}'` },
	});
	await using session = await client.open(home);
	await session.submit("write it");
	await session.answer(/^(run|allow|yes)/i);
	await home.played.waitForEnd(2);
	await session.idle();
	expect(projectFile(home, "ran")).toBe("yes\n");
}

const needs = ["answer"] as const;

export const requests: readonly Row[] = [
	{ id: "requests/ask", title: "a question of the model is answered", needs, check: checkAsk("answer") },
	{
		id: "requests/listed",
		title: "a question of the model is listed, and answered by its id",
		needs,
		notFor: {
			interactive: "shows what is pending on the screen",
			acp: "is sent each question, and lists none",
			"pi-sdk": "has dialogs as calls of the program's own functions",
		},
		check: checkAsk("answerListed"),
	},
	{ id: "requests/hook", title: "a question of a hook is answered", needs, check: checkHook },
];
