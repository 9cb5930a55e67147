/** A list that closes when the user starts to type: the typed text goes to the editor, and none of it is lost. */
import { decodePrintableKey, getKeybindings, SelectList, type Component } from "@tau/tui";
import { listen } from "@tau/utils";

import type { Choice, InteractiveHost } from "../host.ts";
import { liveSelectTheme } from "../screen.ts";
import { Titled } from "../views/titled.ts";

/** Where something is offered: the interactive mode, or its screen before there is a session. */
export type OverlayHost = Pick<InteractiveHost, "showInEditor" | "editor" | "theme">;

const shownChoices = 10;
const pasteStart = "\x1b[200~";

/** Resolves with undefined when the user cancels by Escape or by typing, or when the signal aborts. */
export async function offer(
	host: OverlayHost,
	title: string,
	choices: readonly Choice[],
	{ signal, selected }: { signal?: AbortSignal | undefined; selected?: string | undefined } = {},
): Promise<string | undefined> {
	if (signal?.aborted) return undefined;
	const answered = Promise.withResolvers<string | undefined>();
	const list = new SelectList(choices, shownChoices, liveSelectTheme(host.theme), { wrapItems: true });
	list.setSelectedIndex(
		Math.max(
			0,
			choices.findIndex(({ value }) => value === selected),
		),
	);
	list.onSelect = ({ value }) => answered.resolve(value);
	const typed = (data: string): void => {
		shown.close();
		answered.resolve(undefined);
		host.editor.handleInput(data);
	};
	const shown = host.showInEditor(new Titled(title, new Yielding(list, typed), host.theme), {
		onCancel: () => answered.resolve(undefined),
	});
	using _ = signal ? listen(signal, "abort", () => answered.resolve(undefined)) : undefined;
	try {
		return await answered.promise;
	} finally {
		shown.close();
	}
}

class Yielding implements Component {
	readonly #list: SelectList;
	readonly #typed: (data: string) => void;

	constructor(list: SelectList, typed: (data: string) => void) {
		this.#list = list;
		this.#typed = typed;
	}

	handleInput(data: string): void {
		if (isForEditor(data)) this.#typed(data);
		else this.#list.handleInput(data);
	}

	invalidate(): void {
		this.#list.invalidate();
	}

	render(width: number): string[] {
		return this.#list.render(width);
	}
}

/** Text, however the terminal sends it, and the key that leaves the program. */
function isForEditor(data: string): boolean {
	if (data.startsWith(pasteStart) || decodePrintableKey(data) !== undefined) return true;
	return (data >= " " && !data.startsWith("\x7f")) || getKeybindings().matches(data, "app.exit");
}
