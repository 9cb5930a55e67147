/** Settings about long conversations: when they are compacted, and which part is retained. */
import { limits } from "../limits.ts";
import { amount, choice, count, overrides, text, toggle } from "../setting.ts";

const strategies = ["context-full", "handoff", "shake", "snapcompact", "off"] as const;

/** The rows of `compaction/frames/shapes.json`, which is not read before it is needed. */
export const shapes = [
	"6x12-dim",
	"8x13-bw",
	"8on16-bw",
	"doc-8on16-bw",
	"doc-8on16-sent",
	"doc-8on16-sent-dim",
	"5x8-bw",
	"5x8-sent",
] as const;

const money = "it affects cost";

const plain = {
	"compaction.enabled": toggle({
		description:
			"Compact the conversation automatically when it nearly fills the model's context, or when the provider reports that it is too long.",
		default: true,
		notForProjects: money,
	}),
	"compaction.strategy": choice(strategies, {
		description:
			"How automatic compaction makes room: a summary (context-full), as many tool results as possible first (shake), a new session after the answer (handoff), images of the history for models that see them (snapcompact), or not at all (off).",
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
			"Continue a run automatically after a compaction between two turns. Otherwise it waits for your next prompt.",
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
			description: "Only conversations of at least this many tokens are compacted while you are away.",
			default: 200_000,
			notForProjects: money,
		},
	),
	"compaction.idleTimeoutSeconds": count(
		{ least: 1, most: limits.seconds, unit: "s" },
		{
			description: "How long you must be away before the conversation is compacted.",
			default: 300,
			notForProjects: money,
		},
	),
	"compaction.model": text({
		description:
			"The model that writes summaries: a role such as tau/smol, or a model. Unset: the conversation's own, which the provider answers from its cache.",
		default: undefined,
		notForProjects: "the conversation is sent to it",
	}),
	"snapcompact.shape": choice(["auto", ...shapes], {
		description:
			"How compaction.strategy: snapcompact prints: the font and its pitch; doc has two columns, sent a color for each sentence, dim gray words without content. auto takes what the model reads best.",
		default: "auto",
		notForProjects: money,
	}),
	"compaction.providerNative": toggle({
		description:
			"Let OpenAI's servers compact the conversations of their models. The result can be read by no one else: it is neither shown nor edited, and another model gets a summary instead.",
		default: false,
		notForProjects: money,
	}),
	"compaction.remoteEnabled": toggle({
		description:
			"Let servers compact conversations: the one of compaction.remoteEndpoint, and OpenAI's with compaction.providerNative.",
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

type PlainName = keyof typeof plain;
type Overridable = Extract<PlainName, `compaction.${string}`> extends `compaction.${infer K}` ? K : never;

export const compaction = {
	...plain,
	"compaction.perModel": overrides(byShortName(), {
		description:
			'Other values for some models, by patterns as in enabledModels; the first that matches counts: {"anthropic/*": {"thresholdPercent": 60}}.',
		notForProjects: money,
	}),
};

/** The settings without their group's name. */
function byShortName(): { [K in Overridable]: (typeof plain)[`compaction.${K}`] } {
	const own = Object.entries(plain).filter(([name]) => name.startsWith("compaction."));
	// The type says the same as the names.
	return Object.fromEntries(
		own.map(([name, setting]) => [name.slice("compaction.".length), setting]),
	) as never;
}
