/** The theme of the screen, for what extensions import and call without a context; without a screen it has no colours. */
import { builtinTheme, type Theme } from "@tau/tui";

let current: Theme | undefined;

export function screenTheme(): Theme {
	current ??= builtinTheme("dark", "none");
	return current;
}

/** There is a screen: it has this theme. */
export function useScreenTheme(theme: Theme): void {
	current = theme;
}
