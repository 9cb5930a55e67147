/** Short messages that come and go. */
import { signal } from "@preact/signals";

import { limits } from "../limits.ts";

export interface Toast {
	readonly id: number;
	readonly level: "info" | "success" | "warning" | "error";
	readonly text: string;
}

export const toasts = signal<readonly Toast[]>([]);
let last = 0;

export function toast(text: string, level: Toast["level"] = "info"): void {
	const id = ++last;
	toasts.value = [...toasts.value, { id, level, text }].slice(-limits.toasts);
	setTimeout(() => dismiss(id), level === "error" ? 2 * limits.toastMs : limits.toastMs);
}

export function dismiss(id: number): void {
	toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** Runs what the user has asked for; a failure is shown, and nothing else happens. */
export async function attempt<T>(work: Promise<T>): Promise<T | undefined> {
	try {
		return await work;
	} catch (error) {
		toast(error instanceof Error ? error.message : String(error), "error");
		return undefined;
	}
}
