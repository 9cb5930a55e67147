/** The thinking levels of a model, and the nearest one for a level that it does not have. */
import { thinkingLevels, type Model, type ThinkingLevel } from "./types.ts";

/**
 * From `off` upwards; a model has the levels up to `high` unless its map denies them, and more only if its map names
 * them.
 */
export function levelsOf({ reasoning, thinkingLevelMap: map = {} }: Model): ThinkingLevel[] {
	if (!reasoning) return ["off"];
	return thinkingLevels.filter((level) =>
		level === "xhigh" ? Boolean(map.xhigh ?? map.max) : map[level] !== null,
	);
}

/** The nearest lower level that the model has, else the nearest higher one: as the request would be sent. */
export function fittingLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
	const has = levelsOf(model);
	const at = thinkingLevels.indexOf(level);
	const below = thinkingLevels.slice(0, at + 1).findLast((each) => has.includes(each));
	return below ?? has[0] ?? "off";
}

export function nextLevel(model: Model, level: ThinkingLevel): ThinkingLevel | undefined {
	const has = levelsOf(model);
	return has.length > 1 ? has[(has.indexOf(level) + 1) % has.length] : undefined;
}
