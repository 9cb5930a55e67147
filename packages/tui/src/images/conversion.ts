/** Another form of an image for the terminal, which takes a moment to make. */
import { convertImage, type ImageTarget } from "@tau/sys";
import { log } from "@tau/utils";

interface Made {
	key: string;
	data: string | null | undefined;
	stop: AbortController;
}

export class Conversion implements Disposable {
	readonly #base64Data: string;
	readonly #onReady: () => void;
	/** What was made last, or is being made; `null` if it cannot be. */
	#made: Made | undefined;

	constructor(base64Data: string, onReady: () => void) {
		this.#base64Data = base64Data;
		this.#onReady = onReady;
	}

	get isPending(): boolean {
		return this.#made !== undefined && this.#made.data === undefined;
	}

	/** The image as base64, or the sixel sequence; `undefined` until it is made, `null` if it cannot be. */
	to(target: ImageTarget): string | null | undefined {
		const key = JSON.stringify(target);
		if (this.#made?.key !== key) this.#make(key, target);
		return this.#made?.data;
	}

	[Symbol.dispose](): void {
		this.#made?.stop.abort();
		this.#made = undefined;
	}

	#make(key: string, target: ImageTarget): void {
		this.#made?.stop.abort();
		const made: Made = { key, data: undefined, stop: new AbortController() };
		this.#made = made;
		void this.#finish(made, target);
	}

	async #finish(made: Made, target: ImageTarget): Promise<void> {
		made.data = await converted(this.#base64Data, target, made.stop.signal);
		if (this.#made === made) this.#onReady();
	}
}

async function converted(
	base64Data: string,
	target: ImageTarget,
	signal: AbortSignal,
): Promise<string | null> {
	try {
		const image = await convertImage(Buffer.from(base64Data, "base64"), target, signal);
		const encoding = target.format === "sixel" ? "latin1" : "base64";
		return image.ok ? Buffer.from(image.bytes).toString(encoding) : null;
	} catch (error) {
		if (!signal.aborted) log.warn("an image was not converted", { reason: String(error) });
		return null;
	}
}
