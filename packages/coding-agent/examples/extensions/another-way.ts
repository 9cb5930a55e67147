/** Moves to other sessions: /again repeats the last prompt in a fork, /copy forks here, /open opens a file, /fresh reloads the extensions. */
import type { ExtensionAPI, ExtensionCommandContext } from "@tau/coding-agent";

export default function anotherWay(pi: ExtensionAPI) {
	pi.registerCommand("again", {
		description: "Fork before the last prompt, which is in the editor then",
		async handler(_args, ctx) {
			const last = lastPrompt(ctx);
			if (last === undefined) return ctx.ui.notify("Nothing was said yet.", "warning");
			// `branch` is omp's name for a fork before the entry.
			const { cancelled } = await ctx.branch(last);
			return cancelled ? ctx.ui.notify("Something said no.", "warning") : undefined;
		},
	});
	pi.registerCommand("copy", {
		description: "Go on in a copy of this session",
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
		description: "Go on with the session in a file",
		handler: async (args, ctx) => void (await ctx.switchSession(args)),
	});
	pi.registerCommand("fresh", {
		description: "Read the extensions again",
		handler: (_args, ctx) => ctx.reload(),
	});
}

function lastPrompt({ sessionManager }: ExtensionCommandContext): string | undefined {
	const branch = sessionManager.getBranch();
	return branch.findLast((entry) => entry.type === "message" && entry.message.role === "user")?.id;
}
