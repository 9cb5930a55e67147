/** A tab: its page, the numbers of its elements, its last look, and the dialogs that it opens. */
import { abortable, isTimeout, oneLine, withTimeout } from "@tau/utils";
import type { Dialog, Page } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { describeChange, describeLook, lookAt, type Look } from "../look/look.ts";
import { Refs } from "../look/refs.ts";
import { readTree, type PageTree } from "../look/tree.ts";
import { PageLoading } from "./loading.ts";

export class Tab {
	readonly id: number;
	readonly page: Page;
	readonly refs = new Refs();
	readonly loading: PageLoading;
	/** What has happened since the last result. */
	#notes: string[] = [];
	#last: Look | undefined;
	#dialog: Dialog | undefined;
	#onDialog: (() => void) | undefined;
	#hasCrashed = false;

	constructor(id: number, page: Page) {
		this.id = id;
		this.page = page;
		this.loading = new PageLoading(page);
		page.on("dialog", (dialog) => this.#opened(dialog));
		page.on("error", () => {
			this.#hasCrashed = true;
			this.loading.isBlocked = true;
			this.loading.changed();
		});
	}

	/** Runs an action. A dialog ends the wait for it: the page does nothing until it is answered. */
	async act(work: Promise<unknown>, signal: AbortSignal, ms?: number): Promise<void> {
		// After a dialog nobody waits for it any more.
		work.catch(() => {});
		const blocked = Promise.withResolvers<void>();
		this.#onDialog = blocked.resolve;
		try {
			await abortable(this.within(Promise.race([work, blocked.promise]), ms), signal);
		} finally {
			this.#onDialog = undefined;
		}
	}

	get dialog(): Dialog | undefined {
		return this.#dialog;
	}

	note(text: string): void {
		if (this.#notes.length < limits.notes) this.#notes.push(text);
	}

	/** The first line of every result: texts of the page are one line, without control characters. */
	async header(known?: string): Promise<string> {
		const { status } = this.loading;
		// A page that is being left has no title.
		const title =
			known ??
			(this.loading.isBlocked ? "" : await this.within(this.page.title(), limits.titleMs).catch(() => ""));
		const url = oneLine(this.page.url(), limits.urlChars);
		const name = oneLine(title, limits.titleChars);
		const failed = status !== undefined && status >= 400 ? ` (status ${status})` : "";
		return `[tab ${this.id}] ${name === "" ? "" : `${name} · `}${url}${failed}`;
	}

	/** What is there to use, and what has happened. */
	async describe(words?: string): Promise<string> {
		if (!this.#mayLook()) return await this.#whole([]);
		const look = await this.look();
		return await this.#whole([describeLook(look, words)], look.title);
	}

	/** What an action has changed, or a whole look if it led to another page. */
	async describeChange(): Promise<string> {
		if (!this.#mayLook()) return await this.#whole([]);
		const before = this.#last;
		const look = await this.look();
		if (before?.document !== look.document) return await this.#whole([describeLook(look)], look.title);
		return await this.#whole([describeChange(before, look) ?? "No visible change."], look.title);
	}

	async look(): Promise<Look> {
		const look = lookAt(await this.tree(), this.page.mainFrame(), this.refs);
		this.#last = look;
		return look;
	}

	async tree(): Promise<PageTree> {
		try {
			return await this.within(readTree(this.page));
		} catch (error) {
			// A page that goes to another one while it is read is read again, once.
			if (isTimeout(error) || this.page.isClosed()) throw error;
			return await this.within(readTree(this.page));
		}
	}

	/** Rejects when the page does not answer: its script may compute without an end. */
	async within<T>(promise: Promise<T>, ms: number = limits.answerMs): Promise<T> {
		if (this.#hasCrashed) throw new Error("The page has crashed. Open it again.");
		using deadline = withTimeout(undefined, ms, "the page");
		try {
			return await abortable(promise, deadline.signal);
		} catch (error) {
			if (!isTimeout(error)) throw error;
			throw new DOMException(
				`The page does not answer; a script of it may be busy. Wait, or close tab ${this.id}.`,
				"TimeoutError",
			);
		}
	}

	/** Answers the dialog that is open. */
	async answer(isYes: boolean, text: string | undefined): Promise<string> {
		const dialog = this.#dialog;
		if (!dialog) throw new Error("No dialog is open.");
		this.#dialog = undefined;
		this.loading.isBlocked = false;
		await (isYes ? dialog.accept(text) : dialog.dismiss());
		return `${isYes ? "Accepted" : "Dismissed"} the ${dialog.type()}.`;
	}

	#mayLook(): boolean {
		return this.#dialog === undefined && !this.#hasCrashed;
	}

	async #whole(parts: readonly string[], title?: string): Promise<string> {
		const errors = this.loading.activity.takeErrors();
		const dialog = this.#dialog;
		const notes = [
			...this.#notes,
			...(this.#hasCrashed ? ["The page has crashed. Open it again."] : []),
			...(dialog
				? [`The page waits for an answer to its ${dialog.type()} ${quoted(dialog.message())}. Use dialog.`]
				: []),
			...(this.loading.isCut ? ["The page is too large: only its start was loaded."] : []),
			...(errors > 0 ? [`${errors} new error${errors === 1 ? "" : "s"}: see console`] : []),
		];
		this.#notes = [];
		return [await this.header(title), ...parts, ...notes.map((note) => `[${note}]`)].join("\n");
	}

	/** An alert has one answer, and leaving a page was what the call wanted. Everything else is for the model. */
	#opened(dialog: Dialog): void {
		const type = dialog.type();
		if (type === "alert" || type === "beforeunload") {
			if (type === "alert") this.note(`The page showed the alert ${quoted(dialog.message())}.`);
			// The page may be gone already.
			void dialog.accept().catch(() => {});
			return;
		}
		this.#dialog = dialog;
		this.loading.isBlocked = true;
		this.loading.changed();
		this.#onDialog?.();
	}
}

/** Words of a page, marked as such. */
function quoted(text: string): string {
	return JSON.stringify(oneLine(text, limits.titleChars));
}
