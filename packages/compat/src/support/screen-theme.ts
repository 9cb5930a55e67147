/** The theme for what extensions import and call without a context; without a screen it has no colors. */
import { perScope } from "@tau/extensions/support";
import { builtinTheme, type Theme } from "@tau/tui";

/** Of the terminal, which a process has one of. */
let ofScreen: Theme | undefined;

/** What extensions of sessions without a screen have chosen for themselves. */
const chosen = perScope((): { theme?: Theme } => ({}));

let plain: Theme | undefined;

export function screenTheme(): Theme {
	return ofScreen ?? chosen().theme ?? (plain ??= builtinTheme("dark", "none"));
}

/** There is a screen: it has this theme. */
export function useScreenTheme(theme: Theme): void {
	ofScreen = theme;
}

/** For the session whose extension calls it, while there is no screen. */
export function chooseTheme(theme: Theme): void {
	chosen().theme = theme;
}
