/** pi's color functions, which take no theme: that of the screen is used. */
import {
	builtinTheme,
	builtinThemeNames,
	editorTheme,
	getLanguageFromPath,
	highlightCode as highlight,
	keyHint as hint,
	keyText,
	markdownTheme,
	rawKeyHint as rawHint,
	renderDiff as diff,
	selectListTheme,
	settingsListTheme,
	Text,
	Theme as OurTheme,
	type ColorMode,
	type ColorValue,
	type EditorTheme,
	type Keybinding,
	type MarkdownTheme,
	type SelectListTheme,
	type SettingsListTheme,
	type ThemeToken,
} from "@tau/tui";
import type { RenderHelpers } from "@tau/extensions/api";
import { chooseTheme, screenTheme } from "../support/screen-theme.ts";

/** pi makes one from its colors; what Tau has over that comes from its dark theme. Every theme is an instance of it. */
export class Theme extends OurTheme {
	constructor(
		foregrounds: Record<string, ColorValue>,
		backgrounds: Record<string, ColorValue>,
		mode: ColorMode = "truecolor",
		{ name = "extension" }: { name?: string } = {},
	) {
		// The names of pi's colors are Tau's; a color that is missing keeps that of the terminal.
		const given: Partial<Record<ThemeToken, ColorValue>> = { ...foregrounds, ...backgrounds };
		const colors = new Proxy(given, { get: (all, key) => Reflect.get(all, key) ?? "" });
		super({ name, appearance: "dark", colors: colors as Record<ThemeToken, ColorValue> }, mode);
	}

	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof OurTheme;
	}
}

export function getMarkdownTheme(): MarkdownTheme {
	return markdownTheme(screenTheme());
}

export function getSelectListTheme(): SelectListTheme {
	return selectListTheme(screenTheme());
}

export function getSettingsListTheme(): SettingsListTheme {
	return settingsListTheme(screenTheme());
}

export function getEditorTheme(): EditorTheme {
	return editorTheme(screenTheme());
}

export function highlightCode(code: string, language?: string): string[] {
	return highlight(code, language, screenTheme());
}

export function renderDiff(diffText: string, options: { filePath?: string } = {}): string {
	const language = options.filePath === undefined ? undefined : getLanguageFromPath(options.filePath);
	return diff(diffText, screenTheme(), language === undefined ? {} : { language });
}

/** `esc cancel`, in the colors of hints. */
export function keyHint(keybinding: Keybinding, description: string): string {
	return hint(screenTheme(), keybinding, description);
}

export function rawKeyHint(key: string, description: string): string {
	return rawHint(screenTheme(), key, description);
}

/** What every renderer of an extension gets. */
export const renderHelpers: RenderHelpers = { keyHint, keyText, outputPad: 1 };

/** For programs without Tau's screen; if there is one, the user's theme stays. */
export function initTheme(themeName: string = "dark"): void {
	if (isScreen()) return;
	const name = builtinThemeNames.find((each) => each === themeName) ?? "dark";
	chooseTheme(builtinTheme(name, process.env.NO_COLOR === undefined ? "truecolor" : "none"));
}

export function getAvailableThemes(): string[] {
	return [...builtinThemeNames];
}

export function getThemeByName(name: string): OurTheme | undefined {
	const known = builtinThemeNames.find((each) => each === name);
	return known && builtinTheme(known, screenTheme().getColorMode());
}

/** The theme of the screen, whichever it is when it is used. */
export const theme: OurTheme = new Proxy({} as OurTheme, {
	get(_, key) {
		const current = screenTheme();
		const value: unknown = Reflect.get(current, key);
		return typeof value === "function" ? value.bind(current) : value;
	},
});

/** The real mu and others look for the theme of the screen there. */
export function shareTheme(): void {
	for (const scope of ["@mariozechner", "@earendil-works"])
		Reflect.set(globalThis, Symbol.for(`${scope}/pi-coding-agent:theme`), theme);
}

/** The last rows of a text as they would be wrapped. */
export function truncateToVisualLines(
	text: string,
	maxVisualLines: number,
	width: number,
	paddingX: number = 0,
): { visualLines: string[]; skippedCount: number } {
	if (text === "") return { visualLines: [], skippedCount: 0 };
	const rows = new Text(text, paddingX, 0).render(width);
	const skippedCount = Math.max(0, rows.length - maxVisualLines);
	return { visualLines: rows.slice(skippedCount), skippedCount };
}

function isScreen(): boolean {
	return screenTheme().getColorMode() !== "none" && process.stdout.isTTY === true;
}
