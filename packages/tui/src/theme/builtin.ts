/** The built-in themes: three for dark terminals, three for light ones, in pairs. */
import type { ColorMode } from "./color.ts";
import { parseTheme } from "./parse.ts";
import { Theme, type ThemeFacts } from "./theme.ts";
import dark from "./themes/dark.json" with { type: "json" };
import dawn from "./themes/dawn.json" with { type: "json" };
import dusk from "./themes/dusk.json" with { type: "json" };
import forest from "./themes/forest.json" with { type: "json" };
import light from "./themes/light.json" with { type: "json" };
import meadow from "./themes/meadow.json" with { type: "json" };

const files = { dark, light, dusk, dawn, forest, meadow } as const;

export type BuiltinThemeName = keyof typeof files;

export const builtinThemeNames = Object.keys(files) as BuiltinThemeName[];

export function builtinTheme(name: BuiltinThemeName, mode: ColorMode): Theme {
	return new Theme(builtinThemeFacts(name), mode);
}

export function builtinThemeFacts(name: BuiltinThemeName): ThemeFacts {
	const parsed = parseTheme(files[name]);
	if (!parsed.ok) throw new Error(`The theme ${name} is invalid: ${parsed.problems.join(" ")}`);
	return parsed.theme;
}
