/** Continues with a conversation: in memory with the next prompt, and on disk from the file, as after a restart. */
import { createAgentSession, SessionManager } from "@tau/coding-agent";

{
	using tau = await createAgentSession({ sessionManager: SessionManager.inMemory() });
	await tau.session.prompt({ text: "My name is Ada." });
	await tau.session.prompt({ text: "What is my name?" });
	process.stdout.write(`in memory: ${tau.session.state.messages.length} messages\n`);
}

let file = "";
{
	// Without a session manager there is a new file in Tau's directory, as with `tau -p`.
	using tau = await createAgentSession();
	await tau.session.prompt({ text: "My name is Grace." });
	file = tau.sessionManager.getSessionFile() ?? "";
}

// `SessionManager.continueRecent(cwd)` opens the latest of a directory.
using log = SessionManager.open(file);
using tau = await createAgentSession({ sessionManager: log });
await tau.session.prompt({ text: "What is my name?" });
process.stdout.write(`on disk: ${tau.session.state.messages.length} messages\n`);
