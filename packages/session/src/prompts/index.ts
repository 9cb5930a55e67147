/** Prompts of the session that other packages build on. */
// A re-export would lose the import attribute, and Bun would render the Markdown.
import branchSummary from "./branch-summary.md" with { type: "text" };
import compactionFirst from "./compaction-first.md" with { type: "text" };
import compactionSplitTurn from "./compaction-split-turn.md" with { type: "text" };
import compactionSummary from "./compaction-summary.md" with { type: "text" };
import compactionTurnPrefix from "./compaction-turn-prefix.md" with { type: "text" };

export { branchSummary, compactionFirst, compactionSplitTurn, compactionSummary, compactionTurnPrefix };
