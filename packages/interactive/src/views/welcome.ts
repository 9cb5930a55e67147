/** The first thing that is seen: what this is, what it works with, and one thing to know. One row of it stays. */
import { Text, truncateToWidth, type Component, type Theme } from "@tau/tui";
import { oneLine, shortenHome } from "@tau/utils";
import type { ApprovalMode, Boundary } from "@tau/wire";

import { KeptRows } from "./kept-rows.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

export interface WelcomeFacts {
	version: string;
	cwd: string;
	/** Nothing until it is known. */
	model: string | undefined;
	/** What was read at the start: instructions, extensions. */
	loaded: readonly string[];
	tip: string;
	/** What runs without asking; blank until it is known. */
	approvals: string;
}

/** The first row of a session's scrollback. */
export class SessionStartView extends ViewBlock {
	readonly #facts: string;

	constructor(view: ViewContext, facts: WelcomeFacts) {
		super(view);
		this.#facts = factsOf(facts);
	}

	protected draw(width: number, theme: Theme): string[] {
		return [truncateToWidth(` ${theme.fg("dim", `τ tau ${this.#facts}`)}`, width)];
	}
}

function factsOf({ version, model, cwd }: WelcomeFacts): string {
	return [version, model ?? "…", shortenHome(cwd)].map((fact) => oneLine(fact, 80)).join(" · ");
}

/** Hints for a new user. */
export const firstTip = "/ commands · @ files · ! shell · ? shortcuts";

export const tips = [
	"@ mentions a file; tab completes paths.",
	"! runs a shell command and shares the output with the model; !! doesn't share it.",
	"ctrl+o expands tool output; ctrl+t shows thinking.",
	"While Tau is working: enter steers, alt+enter queues a follow-up, esc interrupts.",
	"ctrl+g edits the prompt in $EDITOR.",
	"/ lists commands; /hotkeys lists keyboard shortcuts.",
	"ctrl+v pastes an image; you can also drop a file.",
] as const;

export class Welcome implements Component {
	readonly #theme: { readonly current: Theme };
	readonly #facts: () => WelcomeFacts;
	readonly #kept = new KeptRows();
	isGone = false;

	constructor(theme: { readonly current: Theme }, facts: () => WelcomeFacts) {
		this.#theme = theme;
		this.#facts = facts;
	}

	invalidate(): void {
		// The rows are kept by what they show.
	}

	render(width: number): string[] {
		if (this.isGone) return [];
		const [theme, facts] = [this.#theme.current, this.#facts()];
		return this.#kept.of(width, theme, facts, () => this.#draw(width, theme, facts));
	}

	#draw(width: number, theme: Theme, all: WelcomeFacts): string[] {
		const { loaded, tip, approvals } = all;
		const name = theme.fg("accent", theme.bold("τ tau"));
		const lines = [`${name} ${theme.fg("muted", factsOf(all))}`];
		if (loaded.length > 0)
			lines.push(theme.fg("dim", `with ${loaded.map((one) => oneLine(one, 60)).join(", ")}`));
		// A narrow screen breaks between two hints, not inside of one.
		const hints = tip.split(" · ");
		const unbroken = hints.length > 1 ? hints.map((hint) => hint.replaceAll(" ", "\u00a0")) : hints;
		lines.push(theme.fg("dim", unbroken.join(" · ")));
		lines.push(theme.fg("dim", approvals));
		const rows = lines.flatMap((line) => new Text(line, 1, 0).render(width));
		return ["", ...rows.map((row) => row.replaceAll("\u00a0", " "))];
	}
}

/** One line for the user about what runs unasked, and why. */
export function modeLine(mode: ApprovalMode, boundary: Boundary): string {
	if (mode === "full") return "Runs commands and edits files without asking.";
	if (mode === "plan") return "Reads only; nothing is changed.";
	if (mode === "ask") return "Asks before it changes files or runs commands.";
	if (boundary === "none") return "Edits files of the project without asking, and asks before it runs code.";
	if (boundary === "sandbox") return "Auto mode: sandboxed commands run without asking.";
	return "Container: commands, network and git push run without asking (/mode).";
}
