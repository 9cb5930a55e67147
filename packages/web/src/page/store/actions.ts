/** What the user does to a session, from a button, a key or a command: each in one place. */
import { draftOf } from "../composer/drafts.ts";
import { askLine, guestPanels, panel } from "./overlay.ts";
import { api } from "./api.ts";
import { current } from "./current.ts";
import type { OpenSession } from "./open-session.ts";
import { pageCommand } from "./page-commands.ts";
import { goTo } from "./route.ts";
import { list, project, refresh } from "./sessions.ts";
import { attempt } from "./toasts.ts";

/** In the project of the open session, the chosen one, or the one that was used last. */
export async function newSession(cwd?: string, prompt?: string): Promise<void> {
	const now = current.peek();
	const here = now.kind === "open" ? now.session.facts.peek().session.cwd : undefined;
	const target = cwd ?? project.peek() ?? here ?? list.peek()?.projects[0]?.cwd;
	if (target === undefined) return newSessionElsewhere();
	const made = await attempt(api.create(target, prompt));
	if (!made) return;
	goTo({ name: "session", id: made.id });
	void refresh();
}

/** In a directory that has no session yet. The server says what is wrong with it. */
export async function newSessionElsewhere(): Promise<void> {
	const cwd = await askLine("Directory of the project, such as ~/work/site");
	if (cwd !== undefined && cwd.trim() !== "") await newSession(cwd.trim());
}

/** Runs `/name args` where the session is. Its reply stands below the conversation. */
export async function runCommand(session: OpenSession, name: string, args: string): Promise<void> {
	if (openPanel(session, name, args)) return;
	try {
		const own = pageCommand(session, name, args);
		if (own) return await own.run(session);
		const { text, level, prefill } = await session.client.request("run_command", { name, args });
		if (prefill !== undefined) session.prefill.value = prefill;
		if (text !== undefined && text !== "") session.reply(text, level === "warning" ? "warning" : "info");
	} catch (error) {
		session.reply(error instanceof Error ? error.message : String(error), "error");
	}
}

/**
 * Stops the answer and the user's own commands, as Escape does in a terminal. What waits behind them comes back to the
 * composer, but for a guest: others have queued it as well.
 */
export function interrupt(session: OpenSession): void {
	if (!session.may("prompt")) return;
	const { steering, followUp } = session.facts.peek().queue;
	if (!session.isGuest && steering.length + followUp.length > 0) void takeQueue(session);
	void attempt(session.client.request("abort", { scope: "all" }));
}

/** Takes back what is queued, in front of what is written already. */
export async function takeQueue(session: OpenSession): Promise<void> {
	const taken = await attempt(session.client.request("clear_queue", {}));
	if (!taken) return;
	const texts = [...taken.steering, ...taken.followUp, draftOf(session.id)];
	session.prefill.value = texts.filter((text) => text.trim() !== "").join("\n\n");
}

/** Commands that are only about what is shown have a panel here, as they have a screen in the terminal. */
function openPanel({ isGuest }: OpenSession, name: string, args: string): boolean {
	if (args !== "") return false;
	const panels = {
		model: "models",
		context: "context",
		tree: "tree",
		rewind: "rewind",
		settings: "settings",
		diff: "changes",
		agents: "overview",
	} as const;
	if (!Object.hasOwn(panels, name)) return false;
	const wanted = panels[name as keyof typeof panels];
	if (isGuest && !guestPanels.has(wanted)) return false;
	panel.value = wanted;
	return true;
}
