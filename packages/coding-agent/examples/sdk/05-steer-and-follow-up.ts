/** Sends messages while the model works: `steer` is delivered after the running tool, `followUp` when it would stop. */
import { createAgentSession, SessionManager } from "@tau/coding-agent";

using tau = await createAgentSession({ sessionManager: SessionManager.inMemory() });
let isSteered = false;

using _listening = tau.session.subscribe((event) => {
	if (event.type === "tool_execution_start" && !isSteered) {
		isSteered = true;
		tau.session.steer({ text: "Only look at TypeScript files." });
		tau.session.followUp({ text: "Now say it in one word." });
	}
	if (event.type !== "message_end") return;
	const { message } = event;
	if (message.role === "user") process.stdout.write(`> ${String(message.content)}\n`);
	if (message.role !== "assistant") return;
	for (const part of message.content) if (part.type === "text") process.stdout.write(`${part.text}\n`);
});

// Resolves when the queued messages have been answered too.
await tau.session.prompt({ text: "List the files here." });
