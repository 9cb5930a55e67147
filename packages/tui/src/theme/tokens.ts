/** The names of the colors that a theme defines, as extensions request them. */

export const foregrounds = [
	"accent",
	"border",
	"borderAccent",
	"borderMuted",
	"success",
	"error",
	"warning",
	"muted",
	"dim",
	"text",
	"thinkingText",
	"userMessageText",
	"customMessageText",
	"customMessageLabel",
	"toolTitle",
	"toolOutput",
	"mdHeading",
	"mdLink",
	"mdLinkUrl",
	"mdCode",
	"mdCodeBlock",
	"mdCodeBlockBorder",
	"mdQuote",
	"mdQuoteBorder",
	"mdHr",
	"mdListBullet",
	"toolDiffAdded",
	"toolDiffRemoved",
	"toolDiffContext",
	"syntaxComment",
	"syntaxKeyword",
	"syntaxFunction",
	"syntaxVariable",
	"syntaxString",
	"syntaxNumber",
	"syntaxType",
	"syntaxOperator",
	"syntaxPunctuation",
	"thinkingOff",
	"thinkingMinimal",
	"thinkingLow",
	"thinkingMedium",
	"thinkingHigh",
	"thinkingXhigh",
	"bashMode",
] as const;

export const backgrounds = [
	"selectedBg",
	"userMessageBg",
	"customMessageBg",
	"toolPendingBg",
	"toolSuccessBg",
	"toolErrorBg",
	"toolDiffAddedWordBg",
	"toolDiffRemovedWordBg",
	"mdCodeBg",
] as const;

/** Backgrounds that a theme may leave out, as those of pi do: the first color, with a share of the second. */
export const mixedBackgrounds: Partial<Record<ThemeToken, readonly [ThemeToken, ThemeToken, number]>> = {
	toolDiffAddedWordBg: ["toolSuccessBg", "toolDiffAdded", 0.35],
	toolDiffRemovedWordBg: ["toolErrorBg", "toolDiffRemoved", 0.35],
	mdCodeBg: ["selectedBg", "selectedBg", 0],
};

export type ThemeColor = (typeof foregrounds)[number];
export type ThemeBg = (typeof backgrounds)[number];
export type ThemeToken = ThemeColor | ThemeBg;

export const tokens: readonly ThemeToken[] = [...foregrounds, ...backgrounds];
