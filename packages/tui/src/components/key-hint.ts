/** Describes which key does what, by the current bindings. */
import { getKeybindings, type Keybinding } from "../input/index.ts";
import type { Theme } from "../theme/index.ts";
import { labelOf } from "../elements/rows.ts";

const symbols: Readonly<Record<string, string>> = {
	up: "↑",
	down: "↓",
	left: "←",
	right: "→",
	escape: "esc",
	return: "enter",
	pageUp: "pgup",
	pageDown: "pgdn",
};

/** `alt+left` as `alt+←`. */
export function formatKeyText(key: string): string {
	return key
		.split("+")
		.map((part) => symbols[part] ?? part)
		.join("+");
}

/** All keys of an action, or an empty string when it has none. */
export function keyText(keybinding: Keybinding): string {
	return getKeybindings().getKeys(keybinding).map(formatKeyText).join("/");
}

export function keyHint(theme: Theme, keybinding: Keybinding, description: string): string {
	const [first] = getKeybindings().getKeys(keybinding);
	return first === undefined ? "" : rawKeyHint(theme, first, description);
}

export function rawKeyHint(theme: Theme, key: string, description: string): string {
	return theme.fg("dim", formatKeyText(key)) + theme.fg("muted", ` ${labelOf(description)}`);
}

/** The first keys of two related actions, as `↑↓ move` or `pgup/pgdn page`. */
export function keyPairHint(
	theme: Theme,
	[one, other]: readonly [Keybinding, Keybinding],
	description: string,
): string {
	const keys = [one, other].flatMap((action) => getKeybindings().getKeys(action).slice(0, 1));
	const names = keys.map(formatKeyText);
	const between = names.every((name) => name.length === 1) ? "" : "/";
	return names.length === 0 ? "" : rawKeyHint(theme, names.join(between), description);
}

/** Several hints on one line; those without a key are left out. */
export function hintLine(theme: Theme, hints: readonly string[]): string {
	return hints.filter((hint) => hint !== "").join(theme.fg("dim", " · "));
}
