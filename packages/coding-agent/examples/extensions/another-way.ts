/** Moves to other sessions: /again repeats the last prompt in a fork, /copy forks here, /open opens a file, /fresh reloads the extensions. */
import type { ExtensionAPI, ExtensionCommandContext } from "@tau/coding-agent";

export default function anotherWay(pi: ExtensionAPI) {
	pi.registerCommand("again", {
		description: "Fork before the last prompt, and put it into the editor",
		async handler(_args, ctx) {
			const last = lastPrompt(ctx);
			if (last === undefined) return ctx.ui.notify("There is no prompt yet.", "warning");
			// `branch` is omp's name for a fork before the entry.
			const { cancelled } = await ctx.branch(last);
			return cancelled ? ctx.ui.notify("An extension objected.", "warning") : undefined;
		},
	});
	pi.registerCommand("copy", {
		description: "Continue in a copy of this session",
		async handler(_args, ctx) {
			const leaf = ctx.sessionManager.getLeafId();
			if (leaf === null) return;
			await ctx.fork(leaf, {
				position: "at",
				withSession: async (next) => next.ui.notify("This is the copy."),
			});
		},
	});
	pi.registerCommand("open", {
		description: "Continue the session in a file",
		handler: async (args, ctx) => void (await ctx.switchSession(args)),
	});
	pi.registerCommand("fresh", {
		description: "Reload the extensions",
		handler: (_args, ctx) => ctx.reload(),
	});
}

function lastPrompt({ sessionManager }: ExtensionCommandContext): string | undefined {
	const branch = sessionManager.getBranch();
	return branch.findLast((entry) => entry.type === "message" && entry.message.role === "user")?.id;
}
