/** Settings about the lists that a user chooses from: models, the tree of a session. */
import { limits } from "../limits.ts";
import { choice, count, list, text, toggle } from "../setting.ts";

export const treeFilters = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;

export const selectors = {
	favoriteModels: list({
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
	"branchSummary.model": text({
		description:
			"The model that summarizes a branch: a role such as tau/smol, or a model. Unset: the conversation's own.",
		default: undefined,
		notForProjects: "the conversation is sent to it",
	}),
	"branchSummary.reserveTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description: "Tokens reserved for the branch summary.",
			default: 16_384,
			notForProjects: "it affects cost",
		},
	),
};
