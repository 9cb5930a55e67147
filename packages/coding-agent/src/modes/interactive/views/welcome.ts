/** The first thing that is seen: what this is, what it works with, and one thing to know. Gone after the first prompt. */
import { Text, type Component, type Theme } from "@tau/tui";
import { oneLine, shortenHome } from "@tau/utils";

export interface WelcomeFacts {
	version: string;
	cwd: string;
	/** Nothing until it is known. */
	model: string | undefined;
	/** What was read at the start: instructions, extensions. */
	loaded: readonly string[];
	tip: string;
}

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
	isGone = false;

	constructor(theme: { readonly current: Theme }, facts: () => WelcomeFacts) {
		this.#theme = theme;
		this.#facts = facts;
	}

	invalidate(): void {
		// There is no cache to clear.
	}

	render(width: number): string[] {
		if (this.isGone) return [];
		const theme = this.#theme.current;
		const { version, cwd, model, loaded, tip } = this.#facts();
		const name = theme.fg("accent", theme.bold("τ tau"));
		const facts = [version, model ?? "…", shortenHome(cwd)].map((fact) => oneLine(fact, 80)).join(" · ");
		const lines = [`${name} ${theme.fg("muted", facts)}`];
		if (loaded.length > 0)
			lines.push(theme.fg("dim", `with ${loaded.map((one) => oneLine(one, 60)).join(", ")}`));
		lines.push(theme.fg("dim", tip));
		return ["", ...lines.flatMap((line) => new Text(line, 1, 0).render(width)), ""];
	}
}
