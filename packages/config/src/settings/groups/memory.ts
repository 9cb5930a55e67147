/** Settings about memory: what is kept of past sessions, and what a new one gets of it. */
import { limits } from "../limits.ts";
import { count, text, toggle } from "../setting.ts";

const conversations = "your conversations are sent to a model for it";

export const memory = {
	"memories.enabled": toggle({
		description:
			"Extract durable facts from finished sessions of a project, in the background, and give new sessions a short digest of them.",
		default: false,
		notForProjects: conversations,
	}),
	"memories.confirm": toggle({
		description: "Ask before anything is remembered: /memory review shows what was found.",
		default: false,
		notForProjects: conversations,
	}),
	"memories.global": toggle({
		description: "Also remember what you say about all of your projects, for all of your projects.",
		default: true,
		notForProjects: conversations,
	}),
	"memories.model": text({
		description:
			"The model that extracts and consolidates: a role such as tau/smol, or a model. Unset: the role smol, else the conversation's own model.",
		default: undefined,
		notForProjects: conversations,
	}),
	"memories.maxRolloutAgeDays": count(
		{ least: 1, most: limits.days, unit: "days" },
		{
			description: "Ignore sessions older than this.",
			default: 30,
			notForProjects: conversations,
		},
	),
	"memories.minRolloutIdleHours": count(
		{ least: 0, most: limits.days * 24, unit: "h" },
		{
			description: "Leave out sessions that were used within this time; a later start reads them.",
			default: 12,
			notForProjects: conversations,
		},
	),
	"memories.maxRolloutsPerStartup": count(
		{ least: 1, most: limits.rollouts },
		{
			description: "How many sessions one start reads at most; the others are read by the next.",
			default: 64,
			notForProjects: conversations,
		},
	),
	"memories.summaryInjectionTokenLimit": count(
		{ least: 0, most: limits.digestTokens, unit: "tokens" },
		{
			description: "Maximum memory tokens per conversation.",
			default: 1_000,
			notForProjects: conversations,
		},
	),
	"memories.concurrency": count(
		{ least: 1, most: 8 },
		{
			description: "How many sessions are read at the same time.",
			default: 2,
			notForProjects: conversations,
		},
	),
	"memories.extractionTokenLimit": count(
		{ least: 1, most: limits.extractionTokens, unit: "tokens" },
		{
			description: "How much of one session is sent to the model that extracts; answers are shortened first.",
			default: 24_000,
			notForProjects: conversations,
		},
	),
	"memories.consolidationTokenLimit": count(
		{ least: 1, most: limits.extractionTokens, unit: "tokens" },
		{
			description: "How much of the facts is sent to the model that consolidates; the newest are taken.",
			default: 24_000,
			notForProjects: conversations,
		},
	),
};
