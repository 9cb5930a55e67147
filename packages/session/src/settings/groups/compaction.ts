/** Settings about long conversations: when they are compacted, and which part is retained. */
import { limits } from "../limits.ts";
import { amount, choice, count, text, toggle } from "../setting.ts";

const strategies = ["context-full", "handoff", "shake", "off"] as const;

const money = "it affects cost";

export const compaction = {
	"compaction.enabled": toggle({
		description:
			"Compact the conversation automatically when it nearly fills the model's context, or when the provider reports that it is too long.",
		default: true,
		notForProjects: money,
	}),
	"compaction.strategy": choice(strategies, {
		description:
			"How automatic compaction makes room: a summary (context-full), as many tool results as possible first (shake), a new session after the answer (handoff), or not at all (off).",
		default: "context-full",
		notForProjects: money,
	}),
	"compaction.dropUseless": toggle({
		description:
			"Remove tool results that say nothing, such as a search without matches, before anything else when the context is full.",
		default: true,
		notForProjects: money,
	}),
	"compaction.autoContinue": toggle({
		description:
			"Continue a run by itself after a compaction between two turns. Otherwise it waits for your next prompt.",
		default: true,
		notForProjects: money,
	}),
	"compaction.idleEnabled": toggle({
		description:
			"Compact a long conversation while you are away, so that your next prompt does not wait for it.",
		default: false,
		notForProjects: money,
	}),
	"compaction.idleThresholdTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description: "How long a conversation must be for compaction.idleEnabled.",
			default: 200_000,
			notForProjects: money,
		},
	),
	"compaction.idleTimeoutSeconds": count(
		{ least: 1, most: limits.seconds, unit: "s" },
		{
			description: "How long nothing must have happened for compaction.idleEnabled.",
			default: 300,
			notForProjects: money,
		},
	),
	"compaction.remoteEnabled": toggle({
		description: "Use compaction.remoteEndpoint.",
		default: true,
		notForProjects: money,
	}),
	"compaction.remoteEndpoint": text({
		description:
			"A server that writes summaries: it gets { systemPrompt, prompt } and returns { summary }. If it fails, the model writes the summary.",
		default: undefined,
		notForProjects: "the conversation is sent there",
	}),
	"contextPromotion.enabled": toggle({
		description:
			"When the context is full, continue with the larger model that the current one names as its contextPromotionTarget, before anything is compacted.",
		default: true,
		notForProjects: money,
	}),
	"compaction.reserveTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description: "Tokens reserved for the answer; at least 15% of the context, at most half of it.",
			default: 16_384,
			notForProjects: money,
		},
	),
	"compaction.keepRecentTokens": count(
		{ least: 0, most: limits.tokens, unit: "tokens" },
		{
			description:
				"How much of the most recent conversation compaction keeps unchanged; at most half of the usable context.",
			default: 20_000,
			notForProjects: money,
		},
	),
	"compaction.thresholdPercent": amount(
		{ least: -1, most: 100, unit: "%" },
		{
			description:
				"How full the context may get, in percent; replaces compaction.reserveTokens. 0 or less disables it.",
			default: -1,
			notForProjects: money,
		},
	),
	"compaction.thresholdTokens": count(
		{ least: -1, most: limits.tokens, unit: "tokens" },
		{
			description:
				"How full the context may get, in tokens; overrides compaction.thresholdPercent. 0 or less disables it.",
			default: -1,
			notForProjects: money,
		},
	),
};
