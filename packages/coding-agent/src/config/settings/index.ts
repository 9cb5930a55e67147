/** The door of the settings. */
export { settingHelp, settingsPage } from "./page.ts";
export { startupLines } from "./problem.ts";
export { readWords, writeWords } from "./read-words.ts";
export { findSetting, settingPaths, type Named, type SettingPath, type SettingValue } from "./schema.ts";
export { Settings, unknownSetting, type Explanation, type Origin } from "./settings.ts";
export { sourcesOf, writtenFile, type SourceOptions } from "./sources.ts";
