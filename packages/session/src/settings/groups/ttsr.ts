/** Settings about rules, above all those that speak up while the model does. */
import { contextModes, interruptModes, repeatModes } from "../rule-modes.ts";
import { limits } from "../limits.ts";

import { choice, count, list, toggle } from "../setting.ts";

const safety = "it could silence your own rules";

export const ttsr = {
	"ttsr.enabled": toggle({
		description:
			"Look for the conditions of rules in what the model says, and have a rule said when one is met.",
		default: true,
		fixed: true,
		notForProjects: safety,
	}),
	"ttsr.builtinRules": toggle({
		description: "Add the rules that come with Tau.",
		default: false,
		fixed: true,
	}),
	"ttsr.disabledRules": list({
		description: "Names of rules that do not count, whoever wrote them.",
		fixed: true,
		notForProjects: safety,
	}),
	"ttsr.interruptMode": choice(interruptModes, {
		description:
			"When a rule stops the answer that breaks it: always, only in prose, only in the arguments of tools, or never. Otherwise it reminds.",
		default: "always",
		notForProjects: safety,
	}),
	"ttsr.contextMode": choice(contextModes, {
		description: "Whether a stopped answer is left out of the conversation or kept in it.",
		default: "discard",
	}),
	"ttsr.repeatMode": choice(repeatModes, {
		description: "Whether a rule is said once in a conversation, or again after some turns.",
		default: "once",
	}),
	"ttsr.repeatGap": count(
		{ least: 1, most: limits.ruleRepeatGap, unit: "turns" },
		{ description: "After how many turns a rule may be said again.", default: 10 },
	),
};
