/** Translates the options of pi's protocols, which name thinking each in its own way, into those of all models. */
import { thinkingLevels, type StreamOptions, type ThinkingLevel } from "@tau/ai";

/** What extensions pass to `stream` and `complete`, by pi's names. */
export interface ProtocolOptions extends StreamOptions {
	/** OpenAI's protocols. */
	reasoningEffort?: string;
	/** Anthropic's. */
	effort?: string;
	thinkingEnabled?: boolean;
	thinkingBudgetTokens?: number;
	/** Google's. */
	thinking?: { enabled?: boolean; level?: string; budgetTokens?: number };
}

export function commonOptions(options: ProtocolOptions): StreamOptions {
	const { reasoningEffort, effort, thinkingEnabled, thinkingBudgetTokens, thinking, ...rest } = options;
	if (rest.reasoning !== undefined) return rest;
	const isOff = thinkingEnabled === false || thinking?.enabled === false;
	const budget = thinkingBudgetTokens ?? thinking?.budgetTokens;
	const isOn = thinkingEnabled === true || thinking?.enabled === true || budget !== undefined;
	const level = isOff
		? "off"
		: (levelOf(reasoningEffort ?? effort ?? thinking?.level) ?? (isOn ? "medium" : undefined));
	if (level === undefined) return rest;
	const budgets =
		budget === undefined ? {} : { thinkingBudgets: { [level]: budget, ...rest.thinkingBudgets } };
	return { ...rest, ...budgets, reasoning: level };
}

/** `none` is the name of single vendors for `off`. */
function levelOf(word: string | undefined): ThinkingLevel | undefined {
	const name = word?.toLowerCase();
	if (name === "none") return "off";
	return thinkingLevels.find((level) => level === name);
}
