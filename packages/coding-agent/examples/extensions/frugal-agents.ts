/** Limits agents: at most three per session, which /agents-left shows, and none of the type "browser" (no web for them). */
import type { ExtensionAPI } from "@tau/coding-agent";

const most = 3;

export default function frugalAgents(pi: ExtensionAPI) {
	let opened = 0;
	pi.on("before_subagent_spawn", ({ agent }) => {
		if (agent === "browser")
			return { block: true, reason: "Agents do not browse here. Read the page yourself." };
		if (opened >= most) return { block: true, reason: `This session has had its ${most} agents.` };
		opened++;
		return undefined;
	});
	pi.registerCommand("agents-left", {
		description: "How many agents the model may still open",
		handler: async (_, ctx) => ctx.ui.notify(`${most - opened} agents left.`),
	});
}
