/** Controls the summary of a branch that is left, and writes short ones itself. */
import type { ExtensionAPI } from "@tau/coding-agent";

const short = 3;

export default function branchSummary(pi: ExtensionAPI) {
	pi.on("session_before_tree", ({ preparation }) => {
		const { entriesToSummarize, userWantsSummary, customInstructions } = preparation;
		// What the person wished for counts; and where no summary is wanted there is nothing to say.
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
