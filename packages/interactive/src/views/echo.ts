/** A slash command above what it printed. */
import { truncateToWidth, type Theme, type TranscriptBlock } from "@tau/tui";
import { maskSecrets, oneLine, onDispose } from "@tau/utils";

import { limits } from "../limits.ts";
import { ViewBlock, type ViewContext } from "./view-context.ts";

/** The command and its output are one block: no blank row separates them. */
class EchoedView extends ViewBlock {
	readonly #text: string;
	readonly #output: TranscriptBlock;

	constructor(view: ViewContext, text: string, output: TranscriptBlock) {
		super(view);
		// The transcript is shown to others, and a command may contain a key: `/mcp add … --token …`.
		this.#text = oneLine(maskSecrets(text.replaceAll(/(--token[ =]+)\S+/g, "$1…")), limits.lineChars);
		this.#output = output;
	}

	override invalidate(): void {
		super.invalidate();
		this.#output.invalidate();
	}

	protected override isDone(): boolean {
		return this.#output.isFinal?.() ?? true;
	}

	protected draw(width: number, theme: Theme): string[] {
		const output = this.#output.render(width);
		const command = truncateToWidth(` ${theme.fg("dim", `❯ ${this.#text}`)}`, width);
		return [command, ...(output[0] === "" ? output.slice(1) : output)];
	}
}

/** The command whose output comes next: it is shown once, and only if there is output. */
export class CommandEcho {
	readonly #view: ViewContext;
	#text: string | undefined;

	constructor(view: ViewContext) {
		this.#view = view;
	}

	begin(text: string): Disposable {
		this.#text = text;
		return onDispose(() => {
			if (this.#text === text) this.#text = undefined;
		});
	}

	/** The output, below the command if it is the first that the command printed. */
	above(output: TranscriptBlock): TranscriptBlock {
		const text = this.#text;
		this.#text = undefined;
		return text === undefined ? output : new EchoedView(this.#view, text, output);
	}
}
