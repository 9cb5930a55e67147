/** A loader that Escape cancels, together with the operation it waits for. */
import { getKeybindings } from "../input/index.ts";
import { Loader } from "./loader.ts";

export class CancellableLoader extends Loader {
	readonly #controller = new AbortController();
	onAbort?: () => void;

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	get aborted(): boolean {
		return this.#controller.signal.aborted;
	}

	handleInput(data: string): void {
		if (this.aborted || !getKeybindings().matches(data, "tui.select.cancel")) return;
		this.#controller.abort();
		this.onAbort?.();
	}

	dispose(): void {
		this.stop();
	}
}
