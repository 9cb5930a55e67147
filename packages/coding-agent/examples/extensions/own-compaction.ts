/** Compacts a long conversation without a model: it keeps the first lines of the user's messages. */
import type { AgentMessage, ExtensionAPI } from "@tau/coding-agent";

export default function ownCompaction(pi: ExtensionAPI) {
	pi.registerFlag("own-compaction", {
		description: "compact conversations without a model",
		type: "boolean",
		default: false,
	});
	pi.on("session_before_compact", ({ preparation, reason, customInstructions }) => {
		if (!pi.getFlag("own-compaction")) return undefined;
		// Custom instructions need a model to follow them.
		if (reason === "manual" && customInstructions) return undefined;
		const { messagesToSummarize, previousSummary = "", firstKeptEntryId, tokensBefore } = preparation;
		const lines = messagesToSummarize.flatMap(firstLine);
		const summary = [previousSummary, "The user wrote so far:", ...lines].filter(Boolean).join("\n");
		return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { count: lines.length } } };
	});
	pi.on("session_compact", ({ fromExtension, compactionEntry }, ctx) => {
		if (fromExtension) ctx.ui.notify(`Compacted without a model (entry ${compactionEntry.id}).`);
	});
	pi.on("session_compact_failed", ({ reason, aborted, errorMessage }, ctx) => {
		if (!aborted)
			ctx.ui.notify(`The ${reason} compaction failed: ${errorMessage ?? "unknown reason"}`, "warning");
	});
}

function firstLine(message: AgentMessage): string[] {
	if (message.role !== "user") return [];
	const { content } = message;
	const text =
		typeof content === "string"
			? content
			: content.map((part) => (part.type === "text" ? part.text : "")).join("");
	return [`- ${text.split("\n")[0]?.slice(0, 200) ?? ""}`];
}
