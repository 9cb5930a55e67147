/** Promise 12: the export and the statistics of a session agree with the conversation. */
import { expect } from "bun:test";

import type { Client } from "../client.ts";
import { openHome } from "../home.ts";
import type { Row } from "../row.ts";

async function checkAgreement(client: Client): Promise<void> {
	const usage = { input: 100, output: 20 };
	const answer = (text: string) => ({ answer: { blocks: [{ text }], usage } });
	const toolCall = { toolCall: { name: "bash", arguments: { command: "echo of-the-tool" } } };
	await using home = await openHome({
		steps: [
			{ answer: { blocks: [toolCall], usage } },
			answer("The tide is low."),
			answer("The tide is high."),
		],
	});
	await using session = await client.open(home);
	await session.prompt("first question");
	await session.prompt("second question");
	expect(await session.stats()).toEqual({
		userMessages: 2,
		assistantMessages: 3,
		inputTokens: 300,
		outputTokens: 60,
	});
	const page = await session.exported();
	const [, data = ""] = /<script type="application\/json" id="session">(.*?)<\/script>/s.exec(page) ?? [];
	// The session itself is in the page, which draws it.
	const messages = data.match(/"role":"(?:user|assistant)"/g) ?? [];
	expect(messages.filter((role) => role.includes("user"))).toHaveLength(2);
	expect(messages.filter((role) => role.includes("assistant"))).toHaveLength(3);
	for (const text of [
		"first question",
		"of-the-tool",
		"The tide is low.",
		"second question",
		"The tide is high.",
	])
		expect(data).toContain(text);
}

export const stats: readonly Row[] = [
	{
		id: "stats/agreement",
		title: "the export shows what the statistics count",
		needs: ["stats"],
		check: checkAgreement,
	},
];
