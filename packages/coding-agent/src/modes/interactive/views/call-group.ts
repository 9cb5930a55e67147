/** Calls that follow each other and say little, in one line: what was read, one name after the other. */
import { truncateToWidth, type Component, type Theme } from "@tau/tui";

import { StageBlock, type Stage } from "./stage.ts";
import { ToolCallView, type ToolCallFacts } from "./tool-call.ts";

/** Looking at files is most of what a model does, and each look alone says next to nothing. */
const foldedTool = "read";

/** The end of the transcript, as far as it takes more of the same; whoever adds something else closes it. */
export class CallGroup extends StageBlock {
	readonly #calls: ToolCallView[] = [];
	#isOpen = true;

	/** An extension that draws the tool itself has it line by line. */
	static takes(stage: Stage, { name }: ToolCallFacts): boolean {
		return name === foldedTool && stage.findRenderer(name) === undefined;
	}

	get children(): Component[] {
		return this.#calls;
	}

	add(facts: ToolCallFacts): ToolCallView {
		const call = new ToolCallView(this.stage, facts, false);
		call.onChanged = () => this.changed();
		this.#calls.push(call);
		this.changed();
		return call;
	}

	close(): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		this.changed();
	}

	override isFinal(): boolean {
		return !this.#isOpen && this.#calls.every((call) => call.isFinal());
	}

	override invalidate(): void {
		super.invalidate();
		for (const call of this.#calls) call.invalidate();
	}

	/** What runs, failed or took long stands for itself, below. */
	protected draw(width: number, theme: Theme): string[] {
		const words = this.#calls.map((call) => call.foldedWords);
		const folded = words.filter((each) => each !== undefined);
		if (this.stage.expandTools || folded.length < 2) return this.#calls.flatMap((call) => call.render(width));
		const alone = this.#calls.filter((_, at) => words[at] === undefined);
		return [foldedRow(folded, theme, width), ...alone.flatMap((call) => call.render(width))];
	}
}

function foldedRow(words: readonly string[], theme: Theme, width: number): string {
	const title = theme.fg("toolTitle", theme.bold(foldedTool));
	const rest = theme.fg("muted", ` ×${words.length} ${words.join(", ")}`);
	return ` ${theme.fg("success", "✓")} ${truncateToWidth(title + rest, Math.max(4, width - 3))}`;
}
