/** Starts a new session with what matters from this one: /handoff and the goal. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function handoff(pi: ExtensionAPI) {
	pi.registerCommand("handoff", {
		description: "Continue in a new session with a goal",
		async handler(args, ctx) {
			if (args === "") return ctx.ui.notify("What is the goal?", "warning");
			await ctx.waitForIdle();
			const file = ctx.sessionManager.getSessionFile();
			const count = ctx.sessionManager.getBranch().length;
			const { cancelled } = await ctx.newSession({
				...(file === undefined ? {} : { parentSession: file }),
				setup: (log) => void log.appendCustomEntry("handoff", { goal: args }),
				// The old `ctx` belongs to the session that was left: use the new one.
				async withSession(next) {
					const content = `This continues a session with ${count} entries.`;
					await next.sendMessage({ customType: "handoff", content, display: true });
					await next.sendUserMessage(args);
				},
			});
			if (cancelled) ctx.ui.notify("The session was not left.");
		},
	});
}
