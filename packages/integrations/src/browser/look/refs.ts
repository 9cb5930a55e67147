/** Numbers for the elements of a tab: an element keeps its number as long as its document lives, and no number is used twice. */
import type { Frame } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";

export interface Target {
	readonly frame: Frame;
	readonly backendNodeId: number;
	/** The document that it belongs to. */
	readonly document: string;
}

export class Refs {
	readonly #numbers = new Map<string, number>();
	readonly #targets = new Map<number, Target>();
	#last = 0;

	/** The number of an element, which gets one if it has none. */
	of(frame: Frame, backendNodeId: number): number {
		const document = documentOf(frame);
		const key = `${frame._id} ${document} ${backendNodeId}`;
		const known = this.#numbers.get(key);
		if (known !== undefined) return known;
		const number = ++this.#last;
		this.#numbers.set(key, number);
		this.#targets.set(number, { frame, backendNodeId, document });
		if (this.#numbers.size > limits.refs) this.#forgetOldest();
		return number;
	}

	/** Rejects a number of another document: its element is gone, and its number means nothing else. */
	target(ref: number): Target {
		const target = this.#targets.get(ref);
		if (!target) throw new Error(`There is no element ${ref}. Take a look at the page first.`);
		if (target.frame.detached || documentOf(target.frame) !== target.document)
			throw new Error(`Element ${ref} is gone: the page has changed. Look again.`);
		return target;
	}

	#forgetOldest(): void {
		const [oldest] = this.#numbers;
		if (!oldest) return;
		this.#numbers.delete(oldest[0]);
		this.#targets.delete(oldest[1]);
	}
}

/** Another one after each navigation, but not after one within the document. */
export function documentOf(frame: Frame): string {
	return "_loaderId" in frame && typeof frame._loaderId === "string" ? frame._loaderId : "";
}
