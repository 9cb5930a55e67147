/** Sends a message later: /later 10 and the text, in seconds; the footer counts down. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function later(pi: ExtensionAPI) {
	pi.registerCommand("later", {
		description: "Send a message in so many seconds",
		handler(args, ctx) {
			const [, seconds, text] = /^(\d+(?:\.\d+)?)\s+(.+)$/s.exec(args) ?? [];
			if (seconds === undefined || text === undefined)
				return ctx.ui.notify("/later 10 look at the tests", "warning");
			let left = Number(seconds);
			// Timers of `ctx` end with the session; global timers would not.
			const ticking = ctx.setInterval(() => ctx.ui.setStatus("later", `in ${Math.round(--left)} s`), 1000);
			ctx.setTimeout(() => {
				ctx.clearTimer(ticking);
				ctx.ui.setStatus("later", undefined);
				pi.sendUserMessage(text, { deliverAs: "followUp" });
			}, left * 1000);
			return ctx.ui.notify(`In ${seconds} s.`);
		},
	});
}
