/** Settings about the course of a conversation: waiting messages, retries, and what may be spent. */

import { limits } from "../limits.ts";
import { amount, choice, count, toggle } from "../setting.ts";

const queueModes = ["one-at-a-time", "all"] as const;
const money = "it decides what is spent";

export const conversation = {
	steeringMode: choice(queueModes, {
		description:
			"How messages that steer a running answer are delivered: one after each step, or all at once.",
		default: "one-at-a-time",
	}),
	followUpMode: choice(queueModes, {
		description: "How messages that wait for the end of an answer are delivered: one a turn, or all at once.",
		default: "one-at-a-time",
	}),
	contextFiles: toggle({
		description:
			"Tell the model what AGENTS.md, CLAUDE.md and the like say, yours and the project's. A project can switch off its own alone, once it is trusted.",
		default: true,
		fixed: true,
	}),
	"ask.timeoutSeconds": count(
		{ least: 0, most: limits.askTimeoutMaxSeconds, unit: "s" },
		{
			description:
				"How long the model waits for the answer to a question before it goes on; 0 waits for ever.",
			default: limits.askTimeoutSeconds,
		},
	),
	"todo.reminders": count(
		{ least: 0, most: limits.reminders },
		{
			description:
				"How often the model is reminded of open tasks on its todo list when it would stop, for one prompt; 0 never reminds.",
			default: 0,
			notForProjects: money,
		},
	),
	"retry.enabled": toggle({
		description: "Ask again when a turn fails and waiting is likely to help: overload, rate limit, network.",
		default: true,
		notForProjects: money,
	}),
	"retry.maxRetries": count(
		{ least: 0, most: limits.retries },
		{
			description: "How often a failed turn is tried again.",
			default: limits.defaultRetries,
			notForProjects: money,
		},
	),
	"retry.baseDelayMs": count(
		{ least: 0, most: limits.delayMs, unit: "ms" },
		{
			description: "The wait before the first retry; it doubles with each one that follows.",
			default: limits.retryBaseMs,
			notForProjects: money,
		},
	),
	"retry.maxDelayMs": count(
		{ least: 0, most: limits.delayMs, unit: "ms" },
		{
			description: "The longest wait before a retry. When the server asks for a longer one, the turn fails.",
			default: limits.retryMaxMs,
			notForProjects: money,
		},
	),
	"budget.maxCost": amount(
		{ least: 0, most: limits.cost, unit: "US dollars" },
		{
			description: "What a session may cost before it is stopped. Not set, there is no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	"budget.maxTurns": count(
		{ least: 1, most: limits.turns },
		{
			description: "How many turns a session may take before it is stopped. Not set, there is no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	"budget.maxTokens": count(
		{ least: 1, most: limits.tokens },
		{
			description: "How many tokens a session may use before it is stopped. Not set, there is no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
};
