/** Changes what is typed: "?? …" requests a short answer, and "ping" is answered without a model. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function shorthand(pi: ExtensionAPI) {
	pi.on("input", ({ text, source }, ctx) => {
		if (source === "extension") return { action: "continue" };
		if (text === "ping") {
			ctx.ui.notify("pong");
			return { action: "handled" };
		}
		if (!text.startsWith("?? ")) return { action: "continue" };
		return { action: "transform", text: `Answer in one sentence: ${text.slice(3)}` };
	});
}
