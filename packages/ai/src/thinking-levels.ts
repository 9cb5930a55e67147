/** Which thinking levels a model has, and which of them stands for one that it does not have. */
import { thinkingLevels, type Model, type ThinkingLevel } from "./types.ts";

/** From `off` upwards; a model has what is up to `high` unless its map denies it, and more only if its map names it. */
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
