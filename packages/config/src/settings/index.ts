/** The entry point `@tau/config/settings`. */
export { settingHelp, settingsPage } from "./page.ts";
export { startupLines } from "./problem.ts";
export { parseValue, formatValue } from "./parse-value.ts";
export {
	findSetting,
	settingPaths,
	visibleValue,
	type Named,
	type SettingPath,
	type SettingValue,
} from "./schema.ts";
export { Settings, unknownSetting, type Explanation, type Origin } from "./settings.ts";
export { sourcesOf, writtenFile, type SourceOptions } from "./sources.ts";
export { describeProblem } from "./config-problem.ts";
export { footerSegments } from "./groups/interface.ts";
export { treeFilters } from "./groups/selectors.ts";
export { readText } from "./read-text.ts";
export { changeFile } from "./write-file.ts";
export { editYaml } from "./edit-yaml.ts";
export { groups, isSettingPath, schema } from "./schema.ts";
export type { Scope, Setting } from "./setting.ts";
export { limits as settingsLimits } from "./limits.ts";
export { contextModes, interruptModes, repeatModes } from "./rule-modes.ts";
export { shapes as compactionShapes } from "./groups/compaction.ts";
