/** Settings about the lists that a person chooses from: models, the tree of a session. */
import { choice, list, toggle } from "../setting.ts";

export const treeFilters = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;

export const selectors = {
	favouriteModels: list({
		description: "Models, as provider/id, that have a tab of their own in /model.",
		notForProjects: "it is a matter of the person",
	}),
	treeFilterMode: choice(treeFilters, {
		description: "What /tree shows at first.",
		default: "default",
	}),
	"branchSummary.enabled": toggle({
		description: "Offer to sum up the branch that is left with /tree, with one request to the model.",
		default: false,
		notForProjects: "it decides what is spent",
	}),
};
