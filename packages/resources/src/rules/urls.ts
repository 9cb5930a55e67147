/** Resolves `rule://<name>` to the text of a rule, for a model that received its name. */
import { nearest, oneLine } from "@tau/utils";
import type { UrlHandler } from "@tau/tools/urls";

import { limits } from "./limits.ts";
import type { Rule } from "@tau/session/run";

export function ruleUrls(rules: readonly Rule[]): UrlHandler {
	return {
		form: "<name>",
		about: "rules of the user and the project",
		resolve(rest) {
			const requested = rest.replace(/\/+$/, "");
			const rule = rules.find(({ name }) => name === requested);
			if (rule) return { ok: true, text: `${rule.content}\n` };
			const names = rules.map(({ name }) => name);
			const [near] = nearest(requested, names);
			const known = `Available: ${names.slice(0, limits.listed).join(", ")}.`;
			const hint = near === undefined ? known : `Did you mean rule://${near}?`;
			return {
				ok: false,
				reason: `There is no rule ${oneLine(requested, limits.descriptionChars)}. ${hint}`,
			};
		},
	};
}
