/** Makes the model review its work before it stops, but only if it has changed files. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function secondLook(pi: ExtensionAPI) {
	let hasChanged = false;
	pi.on("tool_result", ({ toolName, isError }) => {
		hasChanged ||= !isError && (toolName === "write" || toolName === "edit");
	});
	pi.on("agent_before_settle", ({ entries, outcome }) => {
		if (!hasChanged || outcome === "error") return;
		hasChanged = false;
		const look = {
			type: "custom_message" as const,
			customType: "second-look",
			content: "Read what you changed once more. If it is right, say so in one line.",
			display: false,
		};
		return { entries: [...entries, look], continue: true };
	});
}
