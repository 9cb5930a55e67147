/** Marks points of the conversation and returns to them: /mark name, /back name. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function bookmarks(pi: ExtensionAPI) {
	pi.registerCommand("mark", {
		description: "Mark this point of the conversation",
		handler(args, ctx) {
			const leaf = ctx.sessionManager.getLeafId();
			if (leaf === null) return ctx.ui.notify("There is nothing to mark yet.", "warning");
			pi.setLabel(leaf, args || "here");
			return ctx.ui.notify(`Marked as ${args || "here"}.`);
		},
	});
	pi.registerCommand("back", {
		description: "Return to a mark; the branch that is left is summarized",
		async handler(args, ctx) {
			const { sessionManager } = ctx;
			const entry = sessionManager.getEntries().findLast(({ id }) => sessionManager.getLabel(id) === args);
			if (!entry) return ctx.ui.notify(`There is no mark ${args}.`, "warning");
			await ctx.waitForIdle();
			const { cancelled } = await ctx.navigateTree(entry.id, { summarize: true, label: `left for ${args}` });
			if (cancelled) ctx.ui.notify("An extension objected.", "warning");
		},
	});
	pi.on("session_tree", ({ newLeafId, oldLeafId, summaryEntry }, ctx) => {
		ctx.ui.notify(`From ${oldLeafId} to ${newLeafId}${summaryEntry ? ", with a summary" : ""}.`);
	});
}
