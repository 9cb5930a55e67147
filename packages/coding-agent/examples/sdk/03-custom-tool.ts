/** Gives the model a tool of your own, and none of the built-in ones. */
import { createAgentSession, defineTool, errorResult, SessionManager, textResult } from "@tau/coding-agent";
import { z } from "zod";

const stock = new Map([
	["bolt", 120],
	["nut", 80],
]);

const countStock = defineTool({
	name: "count_stock",
	label: "Count stock",
	prompt: "Says how many pieces of an article are in the store.",
	concurrency: "shared",
	approval: "read",
	parameters: z.object({ article: z.string().describe("the name of the article, e.g. bolt") }),
	async execute({ article }) {
		const count = stock.get(article);
		return count === undefined ? errorResult(`There is no article ${article}.`) : textResult(`${count}`);
	},
	view: { call: ({ article }) => `count ${article ?? "…"}` },
});

using tau = await createAgentSession({
	sessionManager: SessionManager.inMemory(),
	customTools: [countStock],
	noTools: "builtin",
	systemPrompt: "You answer questions about the store.",
});
await tau.session.prompt({ text: "How many bolts do we have?" });

for (const message of tau.session.state.messages) {
	if (message.role !== "assistant" && message.role !== "toolResult") continue;
	for (const part of message.content)
		if (part.type === "text") process.stdout.write(`${message.role}: ${part.text}\n`);
}
