/** Commands of the terminal's own screen that the page does itself: the session does not know them. */
import type { CommandInfo } from "@tau/wire";

import type { OpenSession } from "./open-session.ts";
import { overlay, panel } from "./overlay.ts";
import { goTo } from "./route.ts";

interface PageCommand {
	readonly description: string;
	run(session: OpenSession): void | Promise<void>;
}

const leave: PageCommand = {
	description: "Go back to the list; the session continues",
	run: () => goTo({ name: "home" }),
};
const keys: PageCommand = { description: "Show the keys", run: () => void (overlay.value = "help") };
const inTerminal: PageCommand = {
	description: "Log in from a terminal",
	run: (session) => session.reply("Run /login in a terminal: no key passes through the browser.", "warning"),
};

const rows: Readonly<Record<string, PageCommand>> = {
	help: keys,
	hotkeys: keys,
	resume: { description: "Find a session", run: () => void (overlay.value = "palette") },
	theme: { description: "Choose the colors", run: () => void (panel.value = "settings") },
	copy: { description: "Copy the last answer", run: copyAnswer },
	login: inTerminal,
	logout: inTerminal,
	exit: leave,
	quit: leave,
};

/** What can be typed after a slash. A guest has one session, and no list, palette or settings. */
export function commandsOf({ commands, isGuest }: OpenSession): readonly CommandInfo[] {
	if (isGuest) return commands.value;
	const known = new Set(commands.value.map(({ name }) => name));
	const own = Object.entries(rows)
		.filter(([name]) => !known.has(name))
		.map(([name, { description }]) => ({ name, description, right: "view", source: "tau" }) as const);
	return [...commands.value, ...own];
}

/** Undefined if the session has to do it. */
export function pageCommand({ isGuest }: OpenSession, name: string, args: string): PageCommand | undefined {
	return args === "" && !isGuest && Object.hasOwn(rows, name) ? rows[name] : undefined;
}

async function copyAnswer(session: OpenSession): Promise<void> {
	const answer = session.items.value.findLast(({ kind }) => kind === "text");
	if (answer?.kind !== "text") return session.reply("There is no answer to copy yet.", "warning");
	await navigator.clipboard.writeText(answer.text);
	session.reply("The last answer is in the clipboard.");
}
