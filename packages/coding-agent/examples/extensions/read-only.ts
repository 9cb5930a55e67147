/** Adds a flag: with --read-only the model can read everything and change nothing. */
import type { ExtensionAPI } from "@tau/coding-agent";

const looking = new Set(["read", "grep", "find", "ls"]);

export default function readOnly(pi: ExtensionAPI) {
	pi.registerFlag("read-only", {
		description: "do not let the model change anything",
		type: "boolean",
		default: false,
	});
	pi.on("session_start", (_event, ctx) => {
		if (!pi.getFlag("read-only")) return;
		pi.setActiveTools(pi.getActiveTools().filter((name) => looking.has(name)));
		ctx.ui.setStatus("read-only", "read only");
	});
}
