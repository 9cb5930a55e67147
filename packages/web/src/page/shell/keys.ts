/** The keys that work everywhere in the page. The help panel lists the same table. */
import { interrupt, newSession } from "../store/actions.ts";
import { current } from "../store/current.ts";
import { overlay, panel, togglePanel } from "../store/overlay.ts";
import { sidebarShown } from "../store/preferences.ts";
import { goTo } from "../store/route.ts";
import { shownSessions } from "../store/sessions.ts";

interface KeyRow {
	/** As people read it. */
	readonly keys: string;
	readonly does: string;
	/** It also works for a guest, who has one session and no list. */
	readonly isForGuests?: true;
	matches(event: KeyboardEvent): boolean;
	run(): void;
}

const isCommand = (event: KeyboardEvent): boolean => (event.ctrlKey || event.metaKey) && !event.altKey;
const alt = (key: string) => (event: KeyboardEvent) =>
	event.altKey && !event.ctrlKey && !event.metaKey && event.key.toLowerCase() === key;

export const globalKeys: readonly KeyRow[] = [
	{
		keys: "Ctrl+K",
		does: "Command palette: commands, sessions, panels",
		matches: (event) => isCommand(event) && event.key.toLowerCase() === "k",
		run: () => (overlay.value = overlay.value === "palette" ? undefined : "palette"),
	},
	{
		keys: "?",
		does: "This panel",
		matches: (event) => event.key === "?" && !isCommand(event) && !isTyping(event.target),
		run: () => (overlay.value = "help"),
	},
	{ keys: "Alt+N", does: "New session in this project", matches: alt("n"), run: () => void newSession() },
	{
		keys: "Alt+O",
		isForGuests: true,
		does: "Overview: todos, agents, jobs",
		matches: alt("o"),
		run: () => togglePanel("overview"),
	},
	{ keys: "Alt+C", isForGuests: true, does: "Context", matches: alt("c"), run: () => togglePanel("context") },
	{
		keys: "Alt+T",
		does: "Tree of the session",
		matches: alt("t"),
		run: () => togglePanel("tree"),
	},
	{ keys: "Alt+R", does: "Rewind", matches: alt("r"), run: () => togglePanel("rewind") },
	{ keys: "Alt+M", does: "Models", matches: alt("m"), run: () => togglePanel("models") },
	{
		keys: "Alt+B",
		does: "Show or hide the list of sessions",
		matches: alt("b"),
		run: () => (sidebarShown.value = !sidebarShown.value),
	},
	{
		keys: "Alt+↑ / Alt+↓",
		does: "Previous or next session",
		matches: (event) => event.altKey && /^Arrow(?:Up|Down)$/.test(event.key),
		run() {},
	},
	{
		keys: "/",
		isForGuests: true,
		does: "Write a command",
		matches: (event) => event.key === "/" && !isTyping(event.target),
		run: () => focusComposer(),
	},
	{
		keys: "Escape",
		isForGuests: true,
		does: "Close what is open; else interrupt the run",
		matches: (event) => event.key === "Escape" && !event.defaultPrevented,
		run: escape,
	},
];

export function onGlobalKey(event: KeyboardEvent): void {
	if (event.isComposing) return;
	if (event.altKey && /^Arrow(?:Up|Down)$/.test(event.key)) {
		event.preventDefault();
		return step(event.key === "ArrowUp" ? -1 : 1);
	}
	runKey(globalKeys, event);
}

export function onGuestKey(event: KeyboardEvent): void {
	if (event.isComposing) return;
	runKey(
		globalKeys.filter(({ isForGuests }) => isForGuests),
		event,
	);
}

function runKey(rows: readonly KeyRow[], event: KeyboardEvent): void {
	const row = rows.find(({ matches }) => matches(event));
	if (!row) return;
	// The browser's own dialogs and menus close themselves with Escape.
	if (row.keys === "Escape" && document.querySelector("dialog[open], :popover-open")) return;
	event.preventDefault();
	row.run();
}

function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement && (target.matches("input, textarea, select") || target.isContentEditable)
	);
}

function focusComposer(): void {
	const field = document.querySelector<HTMLTextAreaElement>("#composer");
	field?.focus();
	if (field && field.value === "") document.execCommand("insertText", false, "/");
}

function escape(): void {
	if (panel.value !== undefined) {
		panel.value = undefined;
		document.querySelector<HTMLElement>("#composer")?.focus();
		return;
	}
	const now = current.peek();
	if (now.kind === "open" && now.session.isStoppable.value) interrupt(now.session);
}

function step(by: number): void {
	const sessions = shownSessions.peek();
	const now = current.peek();
	const at = now.kind === "open" ? sessions.findIndex(({ id }) => id === now.session.id) : -1;
	const next = sessions[Math.max(0, Math.min(sessions.length - 1, at + by))];
	if (next) goTo({ name: "session", id: next.id });
}
