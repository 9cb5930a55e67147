/** The text field that filters a list. */
import { Input } from "../editor/input.ts";
import { getKeybindings } from "../input/index.ts";
import { truncateToWidth } from "../text.ts";

export class SearchField {
	readonly #input = new Input();

	get text(): string {
		return this.#input.getValue();
	}

	set focused(focused: boolean) {
		this.#input.focused = focused;
	}

	get focused(): boolean {
		return this.#input.focused;
	}

	clear(): void {
		this.#input.setValue("");
	}

	/** Returns whether the key changed the text. */
	handle(data: string): boolean {
		const before = this.text;
		this.#input.handleInput(data);
		return this.text !== before;
	}

	/** Clears the search, if the key cancels and there is one; then the list need not close. */
	cancels(data: string): boolean {
		if (this.text === "" || !getKeybindings().matches(data, "tui.select.cancel")) return false;
		this.clear();
		return true;
	}

	render(width: number): string {
		const [row = ""] = this.#input.render(width);
		return truncateToWidth(row, width);
	}
}
