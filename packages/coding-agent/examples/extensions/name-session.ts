/** Names a session after its first prompt, and shows the name in the title of the terminal. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function nameSession(pi: ExtensionAPI) {
	pi.on("before_agent_start", async ({ prompt }) => {
		if (pi.getSessionName() !== undefined) return;
		const name = prompt.split("\n")[0]?.trim().slice(0, 40) ?? "";
		if (name !== "") await pi.setSessionName(name);
	});
	pi.on("session_info_changed", ({ name }, ctx) => ctx.ui.setTitle(`tau: ${name ?? "no name"}`));
}
