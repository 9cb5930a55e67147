/** Settings about long conversations: when they are summed up, and what of them stays as it was. */
import { limits } from "../limits.ts";
import { amount, count, toggle } from "../setting.ts";

const money = "it decides what is spent";

export const compaction = {
	"compaction.enabled": toggle({
		description:
			"Sum a conversation up by itself when it nearly fills the model's context, or when the model says that it is too long.",
		default: true,
		notForProjects: money,
	}),
	"compaction.reserveTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description:
				"What is kept free of the context for an answer; 15 % of the context where that is more, and at most half of it.",
			default: 16_384,
			notForProjects: money,
		},
	),
	"compaction.keepRecentTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description:
				"The end of a conversation that stays as it was when the rest is summed up; at most half of what the context may hold.",
			default: 20_000,
			notForProjects: money,
		},
	),
	"compaction.thresholdPercent": amount(
		{ least: -1, most: 100, unit: "%" },
		{
			description:
				"How full the context may become, as a share of it, in place of compaction.reserveTokens. Not above 0, it does not count.",
			default: -1,
			notForProjects: money,
		},
	),
	"compaction.thresholdTokens": count(
		{ least: -1, most: limits.tokens, unit: "tokens" },
		{
			description:
				"How full the context may become, in tokens; stands above compaction.thresholdPercent. Not above 0, it does not count.",
			default: -1,
			notForProjects: money,
		},
	),
};
