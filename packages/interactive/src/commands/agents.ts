/** `/agents`: the hub of agents and their types, and the conversation of one. */
import { agents as row } from "@tau/session-commands/rows";
import { onScreen } from "./on-screen.ts";

/** Words that do something; others are names. */
const verbs = new Set(["new", "stop", "message"]);

export const agents = onScreen(row, {
	async open(args, host) {
		const [first = ""] = args.split(/\s/);
		if (verbs.has(first)) return false;
		const { openAgent, openHub } = await import("../selectors/agents/index.ts");
		if (args !== "" && args !== "types") openAgent(host, args);
		else openHub(host, args === "types" ? "types" : "agents");
		return true;
	},
});
