/** Settings about the lists that a user chooses from: models, the tree of a session. */
import { choice, list, toggle } from "../setting.ts";

export const treeFilters = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;

export const selectors = {
	favouriteModels: list({
		description: "Favorite models, as provider/id; /model shows them in their own tab.",
		notForProjects: "it is a personal preference",
	}),
	treeFilterMode: choice(treeFilters, {
		description: "The initial filter of /tree.",
		default: "default",
	}),
	"branchSummary.enabled": toggle({
		description: "Offer to summarize the branch you leave with /tree, with one request to the model.",
		default: false,
		notForProjects: "it affects cost",
	}),
};
