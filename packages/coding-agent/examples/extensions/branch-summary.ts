/** Controls the summary of a branch that is left, and writes short ones itself. */
import type { ExtensionAPI } from "@tau/coding-agent";

const short = 3;

export default function branchSummary(pi: ExtensionAPI) {
	pi.on("session_before_tree", ({ preparation }) => {
		const { entriesToSummarize, userWantsSummary, customInstructions } = preparation;
		// The user's own instructions win; without a summary there is nothing to change.
		if (!userWantsSummary || customInstructions !== undefined) return undefined;
		if (entriesToSummarize.length <= short)
			return { summary: { summary: "A short detour that led to nothing." }, label: "detour" };
		return {
			customInstructions: "In three lines: what was tried, what came of it, what not to try again.",
			replaceInstructions: true,
			label: "left",
		};
	});
}
