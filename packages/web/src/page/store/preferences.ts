/** What the user has chosen for this browser. */
import { effect, signal, type Signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

export const theme = stored<Theme>("theme", "system");
export const sideBySide = stored<boolean>("side-by-side", false);
export const showThinking = stored<boolean>("show-thinking", false);
export const sidebarShown = stored<boolean>("sidebar", true);
/** As hosts of shared sessions see this user. */
export const guestName = stored<string>("guest-name", "");

effect(() => {
	document.documentElement.dataset.theme = theme.value;
});

function stored<T>(name: string, initial: T): Signal<T> {
	const key = `tau.${name}`;
	const kept = signal<T>(read(key, initial));
	effect(() => write(key, kept.value));
	return kept;
}

/** A browser may refuse its store, or hold what an older page has written. */
export function read<T>(key: string, initial: T): T {
	try {
		const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
		return typeof value === typeof initial && Array.isArray(value) === Array.isArray(initial)
			? (value as T)
			: initial;
	} catch {
		return initial;
	}
}

export function write(key: string, value: unknown): void {
	try {
		if (value === undefined) localStorage.removeItem(key);
		else localStorage.setItem(key, JSON.stringify(value));
	} catch {
		// The store is full or forbidden: what is open in the page is not lost.
	}
}
