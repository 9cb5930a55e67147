/** What lies over the page, and which panel is open beside the conversation. */
import { signal } from "@preact/signals";

export type Overlay = "palette" | "help" | undefined;
export const panelNames = [
	"overview",
	"context",
	"tree",
	"rewind",
	"models",
	"changes",
	"artifact",
	"settings",
] as const;
export type PanelName = (typeof panelNames)[number];
/** What a guest can open: files, settings, models and other branches stay with the host. */
export const guestPanels: ReadonlySet<PanelName> = new Set(["overview", "context", "artifact"]);

export const overlay = signal<Overlay>(undefined);
export const panel = signal<PanelName | undefined>(undefined);

export function togglePanel(name: PanelName): void {
	panel.value = panel.value === name ? undefined : name;
}

/** Where the panel lies over the conversation: it goes for what is shown there now. */
export function uncover(): void {
	if (matchMedia("(max-width: 1100px)").matches) panel.value = undefined;
}

/** The session that the user has written to while it was being opened, and whether that is to be sent. */
export const early = signal<{ readonly id: string; readonly isSent: boolean } | undefined>(undefined);

/** The message that the rewind panel starts at. */
export const rewindTarget = signal<string | undefined>(undefined);

/** A line that the page asks for: a name, a label, a message. */
export interface AskedLine {
	readonly title: string;
	readonly value: string;
	/** Without a value, the user has changed their mind. */
	answer(value?: string): void;
}

export const askedLine = signal<AskedLine | undefined>(undefined);

/** Resolves with what the user has written, or undefined. A second question takes back the first. */
export function askLine(title: string, value = ""): Promise<string | undefined> {
	askedLine.peek()?.answer();
	const { promise, resolve } = Promise.withResolvers<string | undefined>();
	const answer = (given?: string): void => {
		askedLine.value = undefined;
		resolve(given);
	};
	askedLine.value = { title, value, answer };
	return promise;
}
