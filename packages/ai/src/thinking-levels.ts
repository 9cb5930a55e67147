/** The thinking levels of a model, and the nearest one for a level that it does not have. */
import { thinkingLevels, type Model, type ThinkingLevel } from "./types.ts";

/**
 * From `off` upwards; a model has the levels up to `high` unless its map denies them, and more only if its map names
 * them.
 */
export function levelsOf({ reasoning, thinkingLevelMap: map = {} }: Model): ThinkingLevel[] {
	if (!reasoning) return ["off"];
	return thinkingLevels.filter((level) =>
		level === "xhigh" || level === "max" ? Boolean(map[level]) : map[level] !== null,
	);
}

/**
 * The nearest lower level that the model has, else the nearest higher one: as the request would be sent. Thinking is never
 * switched off by a level that the model does not have.
 */
export function fittingLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
	const has = levelsOf(model);
	if (has.includes(level)) return level;
	const at = thinkingLevels.indexOf(level);
	const thinking = has.filter((each) => each !== "off");
	const below = thinking.findLast((each) => thinkingLevels.indexOf(each) < at);
	return below ?? thinking[0] ?? "off";
}

export function nextLevel(model: Model, level: ThinkingLevel): ThinkingLevel | undefined {
	const has = levelsOf(model);
	return has.length > 1 ? has[(has.indexOf(level) + 1) % has.length] : undefined;
}
