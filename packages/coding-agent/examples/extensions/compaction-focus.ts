/** Tells the model to keep decisions when it compacts, and shows automatic compactions. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function compactionFocus(pi: ExtensionAPI) {
	pi.on("session.compacting", ({ messages }) => ({
		context: ["Keep every decision, with its reason."],
		// Stored in the entry, for programs that read the session later.
		preserveData: { summedUp: messages.length },
	}));
	pi.on("auto_compaction_start", ({ reason }, ctx) => {
		ctx.ui.setStatus("compaction", reason === "overflow" ? "too long, summing up" : "summing up");
	});
	pi.on("auto_compaction_end", ({ result }, ctx) => {
		ctx.ui.setStatus("compaction", undefined);
		if (result) ctx.ui.notify(`Compacted ${result.tokensBefore} tokens.`);
	});
}
