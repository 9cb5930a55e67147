/** Settings about rules, above all stream rules, which act while the model writes. */
import { contextModes, interruptModes, repeatModes } from "../rule-modes.ts";
import { limits } from "../limits.ts";

import { choice, count, list, toggle } from "../setting.ts";

const safety = "it could disable your own rules";

export const ttsr = {
	"ttsr.enabled": toggle({
		description:
			"Match the conditions of rules against the model's output and send a rule to the model when one matches.",
		default: true,
		fixed: true,
		notForProjects: safety,
	}),
	"ttsr.builtinRules": toggle({
		description: "Load the built-in rules.",
		default: false,
		fixed: true,
	}),
	"ttsr.disabledRules": list({
		description: "Names of rules to disable, wherever they come from.",
		fixed: true,
		notForProjects: safety,
	}),
	"ttsr.interruptMode": choice(interruptModes, {
		description:
			"When a rule interrupts the answer that breaks it: always, only in prose, only in tool arguments, or never. Otherwise it sends a reminder.",
		default: "always",
		notForProjects: safety,
	}),
	"ttsr.contextMode": choice(contextModes, {
		description: "Whether an interrupted answer is dropped from the conversation or kept.",
		default: "discard",
	}),
	"ttsr.repeatMode": choice(repeatModes, {
		description: "Whether a rule is sent once per conversation, or again after some turns.",
		default: "once",
	}),
	"ttsr.repeatGap": count(
		{ least: 1, most: limits.ruleRepeatGap, unit: "turns" },
		{ description: "After how many turns a rule may be sent again.", default: 10 },
	),
};
