/** Settings about the course of a conversation: queued messages, retries, and the budget. */

import { limits } from "../limits.ts";
import { amount, choice, count, text, toggle } from "../setting.ts";

const queueModes = ["one-at-a-time", "all"] as const;
const money = "it affects cost";

export const conversation = {
	steeringMode: choice(queueModes, {
		description: "How steering messages are delivered: one after each step, or all at once.",
		default: "one-at-a-time",
	}),
	followUpMode: choice(queueModes, {
		description: "How follow-up messages are delivered: one per turn, or all at once.",
		default: "one-at-a-time",
	}),
	contextFiles: toggle({
		description:
			"Send AGENTS.md, CLAUDE.md and similar files to the model, yours and the project's. A trusted project can disable only its own.",
		default: true,
		fixed: true,
	}),
	outputStyle: text({
		description:
			"How the model writes to you: concise, explanatory, learning, or the name of a file in output-styles. /output-style changes it.",
		default: undefined,
		notForProjects: "it is how the model writes to you",
	}),
	"ask.timeoutSeconds": count(
		{ least: 0, most: limits.askTimeoutMaxSeconds, unit: "s" },
		{
			description:
				"How long the model waits for your answer to a question before it continues; 0 waits indefinitely.",
			default: limits.askTimeoutSeconds,
		},
	),
	"goal.maxAttempts": count(
		{ least: 1, most: 1_000 },
		{
			description: "How often the model is sent back to work because the check of /goal fails.",
			default: 10,
			notForProjects: money,
		},
	),
	"advisor.model": text({
		description:
			"A second model that reads each turn and may add one remark, such as tau/slow. Off by default.",
		default: undefined,
		notForProjects: money,
	}),
	"todo.reminders": count(
		{ least: 0, most: limits.reminders },
		{
			description:
				"How often per prompt the model is reminded of open todo items before it stops; 0 disables reminders.",
			default: 0,
			// omp has a switch; its limit is 3.
			on: 3,
			notForProjects: money,
		},
	),
	"retry.enabled": toggle({
		description:
			"Retry a failed turn when another try is likely to help: overload, rate limit, network, an empty or unreadable answer.",
		default: true,
		notForProjects: money,
	}),
	"retry.maxRetries": count(
		{ least: 0, most: limits.retries },
		{
			description: "How often a failed turn is retried.",
			default: limits.defaultRetries,
			notForProjects: money,
		},
	),
	"retry.baseDelayMs": count(
		{ least: 0, most: limits.delayMs, unit: "ms" },
		{
			description: "The delay before the first retry; it doubles with each further retry.",
			default: limits.retryBaseMs,
			notForProjects: money,
		},
	),
	"retry.maxDelayMs": count(
		{ least: 0, most: limits.delayMs, unit: "ms" },
		{
			description: "The longest delay before a retry. If the server asks for a longer one, the turn fails.",
			default: limits.retryMaxMs,
			notForProjects: money,
		},
	),
	"budget.maxCost": amount(
		{ least: 0, most: limits.cost, unit: "US dollars" },
		{
			description: "How much a session may cost before it is stopped. Unset: no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	"budget.maxTurns": count(
		{ least: 1, most: limits.turns },
		{
			description: "How many turns a session may take before it is stopped. Unset: no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	"budget.maxTokens": count(
		{ least: 1, most: limits.tokens },
		{
			description: "How many tokens a session may use before it is stopped. Unset: no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	"budget.maxSeconds": count(
		{ least: 1, most: limits.seconds, unit: "s" },
		{
			description:
				"How long a session may work before it is stopped, also in the middle of an answer or a command. Unset: no limit.",
			default: undefined,
			notForProjects: money,
		},
	),
	loopDetection: toggle({
		description:
			"Remind a model that repeats the same calls with the same results, and stop the run if it does not change course.",
		default: true,
		notForProjects: money,
	}),
};
