/** What a key means in the viewer: vim's letters and the keys that everybody knows. */
import { getKeybindings, matchesKey, type KeyId } from "@tau/tui";

export type Motion = "up" | "down" | "halfUp" | "halfDown" | "pageUp" | "pageDown" | "top" | "bottom";

const letters: Readonly<Record<string, Motion>> = { k: "up", j: "down", g: "top", G: "bottom" };

export function motionOf(data: string): Motion | undefined {
	const keys = getKeybindings();
	if (keys.matches(data, "tui.select.up")) return "up";
	if (keys.matches(data, "tui.select.down")) return "down";
	if (matchesKey(data, "ctrl+u")) return "halfUp";
	if (matchesKey(data, "ctrl+d")) return "halfDown";
	if (keys.matches(data, "tui.select.pageUp")) return "pageUp";
	if (keys.matches(data, "tui.select.pageDown") || matchesKey(data, "space")) return "pageDown";
	if (matchesKey(data, "home")) return "top";
	if (matchesKey(data, "end")) return "bottom";
	return letters[letterOf(data) ?? ""];
}

/** The target of a motion from a position in a list of which `page` rows are visible. */
export function moved(at: number, motion: Motion, last: number, page: number): number {
	const steps: Readonly<Record<Motion, number>> = {
		up: -1,
		down: 1,
		halfUp: -Math.ceil(page / 2),
		halfDown: Math.ceil(page / 2),
		pageUp: -Math.max(1, page - 1),
		pageDown: Math.max(1, page - 1),
		top: -last,
		bottom: last,
	};
	return Math.max(0, Math.min(last, at + steps[motion]));
}

export function isBack(data: string): boolean {
	return getKeybindings().matches(data, "tui.select.cancel") || letterOf(data) === "q";
}

export function isOpen(data: string): boolean {
	return getKeybindings().matches(data, "tui.select.confirm") || letterOf(data) === "l";
}

/** The letter that was typed, also where the terminal spells keys out. */
export function letterOf(data: string): string | undefined {
	if (data.length === 1) return data;
	const spelled = spellings.find(([key]) => matchesKey(data, key));
	return spelled?.[1];
}

const spellings: readonly (readonly [KeyId, string])[] = [
	...(["j", "k", "g", "n", "p", "q", "l", "/"] as const).map((key) => [key, key] as const),
	["shift+g", "G"],
	["shift+n", "N"],
];
