/** How hard a model should think: our level as the name or the token budget of its protocol. */
import { thinkingLevels, type Model, type StreamOptions, type ThinkingLevel } from "../types.ts";

type Thinking = Exclude<ThinkingLevel, "off">;

const ladder = thinkingLevels.filter((level): level is Thinking => level !== "off");

/** The default tokens for thinking at each level. */
const defaultBudgets: Readonly<Record<Thinking, number>> = {
	minimal: 1024,
	low: 2048,
	medium: 8192,
	high: 16_384,
	xhigh: 32_768,
	max: 32_768,
};

/** The minimum for thinking, and the minimum that an answer needs besides: Anthropic's figures. */
const leastTokens = 1024;

/**
 * The name of a level in the model's protocol. A level that the model does not have becomes the nearest lower one
 * that it has, else the nearest higher one. Without a level, or for a model that does not reason, there is only the
 * name for `off`, if its map has one.
 */
export function wireLevel(model: Model, level: ThinkingLevel | undefined): string | undefined {
	if (!model.reasoning || level === undefined || level === "off")
		return model.thinkingLevelMap?.off ?? undefined;
	return nearest(level, (candidate) => word(model, candidate));
}

/** Tokens for thinking and answer together: as requested, up to the model's maximum. */
export function outputTokens(model: Model, { maxTokens = model.maxTokens }: StreamOptions): number {
	return Math.min(maxTokens, model.maxTokens);
}

/** The limit to send if the protocol does not require one; undefined unless it is requested. */
export function outputLimit(model: Model, options: StreamOptions): number | undefined {
	const isWanted = options.maxTokens !== undefined || model.compat?.sendMaxTokens === true;
	return isWanted ? outputTokens(model, options) : undefined;
}

/**
 * Tokens for thinking at a level, for protocols that count them. `maxTokens` covers thinking and answer together, and
 * the answer keeps its share; if that leaves too little for thinking, there is no budget.
 */
export function thinkingBudget(
	model: Model,
	level: ThinkingLevel | undefined,
	options: Pick<StreamOptions, "thinkingBudgets">,
	maxTokens: number,
): number | undefined {
	if (!model.reasoning || level === undefined || level === "off") return undefined;
	const requested = nearest(level, (candidate) =>
		model.thinkingLevelMap?.[candidate] === null
			? undefined
			: (options.thinkingBudgets?.[candidate] ?? defaultBudgets[candidate]),
	);
	if (requested === undefined || requested <= 0) return undefined;
	const budget = Math.min(requested, maxTokens - leastTokens);
	return budget >= Math.min(requested, leastTokens) ? budget : undefined;
}

function nearest<T>(level: Thinking, look: (candidate: Thinking) => T | undefined): T | undefined {
	const at = ladder.indexOf(level);
	for (const candidate of [...ladder.slice(0, at + 1).toReversed(), ...ladder.slice(at + 1)]) {
		const value = look(candidate);
		if (value !== undefined) return value;
	}
	return undefined;
}

/** Models have the levels up to `high` unless their map denies them; higher ones only if their map names them. */
function word(model: Model, level: Thinking): string | undefined {
	const map = model.thinkingLevelMap ?? {};
	if (level === "xhigh" || level === "max") return map[level] ?? undefined;
	return map[level] === undefined ? level : (map[level] ?? undefined);
}
