/** A line of input in place of a list's search: a name, a label, a value, a key. */
import { getKeybindings, Input, truncateToWidth, type Theme } from "@tau/tui";

export interface LineRequest {
	/** A short label. */
	label: string;
	initial?: string;
	/** More about it, shown instead of the list. */
	about?: string;
	/** What is typed is not shown. */
	secret?: boolean;
	/** Returns the problem with the value, worded for the user; undefined if it was accepted. */
	onSubmit(value: string): string | undefined | Promise<string | undefined>;
	onCancel?(): void;
}

export class Line {
	readonly request: LineRequest;
	readonly #input = new Input();

	constructor(request: LineRequest) {
		this.request = request;
		this.#input.setValue(request.initial ?? "");
		this.#input.isSecret = request.secret === true;
	}

	get value(): string {
		return this.#input.getValue();
	}

	/** What the key asks for; nothing when it only changed the text. */
	handle(data: string): "submit" | "cancel" | undefined {
		const keys = getKeybindings();
		if (keys.matches(data, "tui.select.cancel")) return "cancel";
		if (keys.matches(data, "tui.input.submit")) return "submit";
		this.#input.handleInput(data);
		return undefined;
	}

	render(width: number, theme: Theme, focused: boolean): string[] {
		const label = theme.fg("accent", truncateToWidth(this.request.label, width));
		this.#input.focused = focused;
		return [label, ...this.#input.render(width)];
	}
}
