/** Shows an answer while it is being written, and the tools that are used on the way. */
import { createAgentSession, SessionManager } from "@tau/coding-agent";

using tau = await createAgentSession({ sessionManager: SessionManager.inMemory() });

using _listening = tau.session.subscribe((event) => {
	switch (event.type) {
		case "message_update":
			if (event.assistantMessageEvent.type === "text_delta")
				process.stdout.write(event.assistantMessageEvent.delta);
			break;
		case "tool_execution_start":
			process.stdout.write(`\n[${event.toolName} ${JSON.stringify(event.args)}]\n`);
			break;
		case "tool_execution_end":
			process.stdout.write(event.isError ? "[failed]\n" : "[done]\n");
			break;
		case "agent_end":
			process.stdout.write("\n");
			break;
	}
});

await tau.session.prompt({ text: "How many files are here?" });
