/** Decides when each rule is injected: always, on a condition, with a file, or on request. */
import { limits } from "./limits.ts";
import type { Rule } from "@tau/session/run";

export interface RuleChoice {
	/** Whether conditions count at all. */
	streamRules: boolean;
	disabled: readonly string[];
}

export interface SortedRules {
	/** In the system prompt. */
	always: readonly Rule[];
	/** The rules whose conditions are matched against the model's output. */
	stream: readonly Rule[];
	/** Injected with the first result that is about one of its files. */
	byFile: readonly Rule[];
	/** Named in the system prompt, read by the model when it needs them. */
	onDemand: readonly Rule[];
	/** All that can be read by name. */
	all: readonly Rule[];
	notices: readonly string[];
}

export function sortRules(rules: readonly Rule[], { streamRules, disabled }: RuleChoice): SortedRules {
	const all = rules.filter(({ name }) => !disabled.includes(name));
	const isStream = (rule: Rule): boolean => (rule.condition ?? rule.astCondition) !== undefined;
	const rest = all.filter((rule) => !(streamRules && isStream(rule)));
	const notices: string[] = [];
	return {
		all,
		stream: streamRules ? all.filter(isStream) : [],
		always: fitting(
			rest.filter(({ alwaysApply }) => alwaysApply === true),
			notices,
		),
		byFile: rest.filter((rule) => !rule.alwaysApply && rule.globs !== undefined && !isStream(rule)),
		onDemand: rest
			.filter(({ alwaysApply, globs, description }) => !alwaysApply && !globs && description !== undefined)
			.slice(0, limits.listed),
		notices,
	};
}

/** The nearest rules come first; those that do not fit are reported, because they would be missing silently. */
function fitting(rules: readonly Rule[], notices: string[]): Rule[] {
	let left: number = limits.alwaysBytes;
	return rules.filter(({ name, content }) => {
		const bytes = Buffer.byteLength(content);
		if (bytes > left) {
			notices.push(
				`The rule ${name} was skipped: rules that always apply can have at most ${limits.alwaysBytes} bytes in total.`,
			);
			return false;
		}
		left -= bytes;
		return true;
	});
}
