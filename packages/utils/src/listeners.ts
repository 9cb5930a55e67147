/** Functions that are called when something happens, until each is disposed of. */
import { onDispose } from "./dispose.ts";

export class Listeners<T> {
	readonly #all = new Set<(value: T) => void>();

	add(listener: (value: T) => void): Disposable {
		this.#all.add(listener);
		return onDispose(() => this.#all.delete(listener));
	}

	call(value: T): void {
		for (const listener of this.#all) listener(value);
	}
}
