/** pi's settings by the names of its getters and setters: the path of each, and its default. */

export interface SettingRow {
	/** `getTheme`, `setTheme`. */
	name: string;
	/** Its path in pi's settings. */
	path: string;
	/** What Tau calls it, where that is another name. */
	own?: string;
	standard?: unknown;
	/** A project has its own setter: `setProjectPackages`. */
	byProject?: true;
}

function row(name: string, path: string, standard?: unknown, more: Partial<SettingRow> = {}): SettingRow {
	return { name, path, ...(standard === undefined ? {} : { standard }), ...more };
}

const byProject = { byProject: true } as const;

export const settingRows: readonly SettingRow[] = [
	row("LastChangelogVersion", "lastChangelogVersion"),
	row("SessionDir", "sessionDir"),
	row("SteeringMode", "steeringMode", "one-at-a-time"),
	row("FollowUpMode", "followUpMode", "one-at-a-time"),
	row("Theme", "theme"),
	row("DefaultThinkingLevel", "defaultThinkingLevel"),
	row("Transport", "transport", "sse"),
	row("CompactionEnabled", "compaction.enabled", true),
	row("CompactionReserveTokens", "compaction.reserveTokens", 16_384),
	row("CompactionKeepRecentTokens", "compaction.keepRecentTokens", 20_000),
	row("BranchSummarySkipPrompt", "branchSummary.skipPrompt", false),
	row("RetryEnabled", "retry.enabled", true),
	row("HideThinkingBlock", "hideThinkingBlock", false),
	row("ShellPath", "shellPath"),
	row("QuietStartup", "quietStartup", false),
	row("ShellCommandPrefix", "shellCommandPrefix"),
	row("NpmCommand", "npmCommand"),
	row("CollapseChangelog", "collapseChangelog", false),
	row("EnableInstallTelemetry", "enableInstallTelemetry", false),
	row("Packages", "packages", [], byProject),
	row("ExtensionPaths", "extensions", [], byProject),
	row("SkillPaths", "skills", [], byProject),
	row("PromptTemplatePaths", "prompts", [], byProject),
	row("ThemePaths", "themes", [], byProject),
	row("EnableSkillCommands", "enableSkillCommands", true),
	row("ThinkingBudgets", "thinkingBudgets"),
	row("ShowImages", "terminal.showImages", true),
	row("ImageWidthCells", "terminal.imageWidthCells", 60),
	row("ClearOnShrink", "terminal.clearOnShrink", false),
	row("ShowTerminalProgress", "terminal.showTerminalProgress", false),
	row("ImageAutoResize", "images.autoResize", true),
	row("BlockImages", "images.blockImages", false),
	row("EnabledModels", "enabledModels"),
	row("DoubleEscapeAction", "doubleEscapeAction", "tree", { own: "doubleEscape" }),
	row("TreeFilterMode", "treeFilterMode", "default"),
	row("ShowHardwareCursor", "showHardwareCursor", false),
	row("EditorPaddingX", "editorPaddingX", 0),
	row("AutocompleteMaxVisible", "autocompleteMaxVisible", 5),
	row("CodeBlockIndent", "markdown.codeBlockIndent", "  "),
	row("Warnings", "warnings", {}),
	row("ThemeSetting", "theme"),
	row("DefaultTools", "defaultTools"),
	row("ExternalEditorCommand", "externalEditor"),
	row("DefaultProjectTrust", "defaultProjectTrust", "ask"),
	row("TuiMode", "tuiMode", "inline"),
	row("OutputPad", "outputPad", 1),
	row("EnableAnalytics", "enableAnalytics", false),
	row("CacheWarmingMode", "cacheWarming", "off"),
	row("ShowCacheMissNotices", "showCacheMissNotices", false),
	row("SessionShareDestination", "sessionShareDestination"),
];
