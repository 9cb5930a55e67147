/** Asks one question in this directory, with the model, keys and settings that `tau` would use, and keeps nothing. */
import { createAgentSession, SessionManager } from "@tau/coding-agent";

using tau = await createAgentSession({ sessionManager: SessionManager.inMemory() });
await tau.session.prompt({ text: "What is in this project?" });

const answer = tau.session.state.messages.at(-1);
if (answer?.role === "assistant") {
	// A model that fails does not throw: the answer says why.
	if (answer.failure) process.stderr.write(`${answer.failure.message}\n`);
	for (const part of answer.content) if (part.type === "text") process.stdout.write(`${part.text}\n`);
}
