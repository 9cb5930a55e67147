/** A calm screen: a static working indicator, a short label for thinking, and nothing at all with --very-calm. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function calm(pi: ExtensionAPI) {
	pi.registerFlag("very-calm", { description: "show no working indicator", type: "boolean", default: false });
	pi.on("session_start", (_event, { ui, mode }) => {
		// In other modes these calls do nothing.
		if (mode !== "tui") return;
		ui.setWorkingIndicator({ frames: ["·"] });
		ui.setWorkingVisible(!pi.getFlag("very-calm"));
		ui.setHiddenThinkingLabel("a thought");
	});
}
