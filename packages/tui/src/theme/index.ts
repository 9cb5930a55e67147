/** Themes: colors by purpose. */
export { builtinTheme, builtinThemeFacts, builtinThemeNames, type BuiltinThemeName } from "./builtin.ts";
export {
	colorModeOf,
	isColorValue,
	mixed,
	rgbOf,
	sgrOf,
	type ColorMode,
	type ColorValue,
	type Rgb,
} from "./color.ts";
export { parseTheme, type ParsedTheme } from "./parse.ts";
export { colorBlindFacts, Theme, type TextStyle, type ThemeFacts, type ThinkingShade } from "./theme.ts";
export { type ThemeBg, type ThemeColor, type ThemeToken } from "./tokens.ts";
