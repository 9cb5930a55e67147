/** The text with which rules are sent to the model. */
import { shortenHome, fill } from "@tau/utils";
import type { CustomMessage } from "@tau/log";
import type { Rule } from "@tau/session/run";

import fileRule from "./ttsr-file-rule.md" with { type: "text" };
import followUp from "./ttsr-follow-up.md" with { type: "text" };
import interrupt from "./ttsr-interrupt.md" with { type: "text" };
import toolReminder from "./ttsr-tool-reminder.md" with { type: "text" };

const templates = { interrupt, followUp, toolReminder, fileRule };

export function sayRules(rules: readonly Rule[], as: keyof typeof templates): string {
	return rules
		.map(({ name, path, content }) =>
			fill(templates[as], { name: attribute(name), path: attribute(shortenHome(path)), content }),
		)
		.join("\n\n");
}

/** The message is hidden from the user, who gets a notice. */
export function ruleMessage(
	rules: readonly Rule[],
	as: "interrupt" | "followUp",
): CustomMessage<{ rules: string[] }> {
	return {
		role: "custom",
		customType: injectionType,
		content: sayRules(rules, as),
		display: false,
		details: { rules: rules.map(({ name }) => name) },
		timestamp: Date.now(),
	};
}

export const injectionType = "ttsr-injection";

/** A file may have any name, so it is escaped. */
function attribute(text: string): string {
	return text.replaceAll(/[<>"&\n\r]/g, "_");
}
