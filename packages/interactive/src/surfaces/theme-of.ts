/** The theme of a terminal elsewhere, as data and as what components draw with. */
import { screenTheme, useScreenTheme } from "@tau/compat";
import type { UIPlaces } from "@tau/extensions/ui";
import { builtinThemeFacts, isColorValue, Theme, type ColorValue, type ThemeToken } from "@tau/tui";
import type { CommandFields } from "@tau/wire";

import { liveTheme } from "../extensions/screen-ui.ts";

type ThemeData = CommandFields<"show_components">["theme"];

/** Colors that extensions ask for by no name are those of the place that is drawn, or that acts, if it is elsewhere. */
export function useThemeOf(places: Pick<UIPlaces, "acting" | "drawing">): void {
	const own = screenTheme();
	useScreenTheme(
		liveTheme({
			get current() {
				const place = places.drawing() ?? places.acting();
				// A place has a whole theme.
				return (place?.theme as Theme | undefined) ?? own;
			},
		}),
	);
}

/** What is missing or no color keeps that of the built-in theme. */
export function themeOf({ name, appearance, mode, colors }: ThemeData): Theme {
	const builtin = builtinThemeFacts(appearance);
	const known = Object.entries(colors).filter(
		([token, value]) => token in builtin.colors && isColorValue(value),
	);
	const all = { ...builtin.colors, ...Object.fromEntries(known) } as Record<ThemeToken, ColorValue>;
	return new Theme({ name, appearance, colors: all }, mode);
}

export function themeData(theme: Theme): ThemeData {
	return {
		name: theme.name.slice(0, 100),
		appearance: theme.appearance,
		mode: theme.getColorMode(),
		colors: { ...theme.palette },
	};
}
