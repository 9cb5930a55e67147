/** `/agents`: the hub of agents and their types, and the conversation of one. */
import { agents as row, type AgentConversation, type AgentsData } from "@tau/session-commands/rows";
import { drawReply } from "../run-row.ts";
import { onScreen } from "./on-screen.ts";

/** A word that is neither of these is the name of an agent. */
const lists: ReadonlySet<string> = new Set(["", "types"]);

export const agents = onScreen(row, async (reply, host, args) => {
	const { types, messages } = (reply.data ?? {}) as Partial<AgentsData & AgentConversation>;
	const { openHub, showAgent } = await import("../selectors/agents/index.ts");
	if (messages) return showAgent(host, args.replace(/^show\s+/, ""), reply);
	if (!types || !lists.has(args)) return drawReply(reply, host);
	openHub(host, reply, args === "types" ? "types" : "agents");
});
