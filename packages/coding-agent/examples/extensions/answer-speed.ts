/** Shows the speed of an answer below the editor. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function answerSpeed(pi: ExtensionAPI) {
	let began = 0;
	let chars = 0;
	pi.on("message_start", ({ message }) => {
		if (message.role === "assistant") [began, chars] = [performance.now(), 0];
	});
	pi.on("message_update", ({ assistantMessageEvent: event }, ctx) => {
		if (event.type !== "text_delta" && event.type !== "thinking_delta") return;
		chars += event.delta.length;
		const perSecond = Math.round(chars / Math.max(0.001, (performance.now() - began) / 1000));
		ctx.ui.setWidget("speed", [`${perSecond} characters a second`], { placement: "belowEditor" });
	});
	pi.on("message_end", ({ message }, ctx) => {
		if (message.role !== "assistant") return;
		ctx.ui.setWidget("speed", undefined);
		pi.appendEntry("answer-speed", { chars, ms: Math.round(performance.now() - began) });
	});
}
