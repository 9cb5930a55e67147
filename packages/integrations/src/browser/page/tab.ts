/** A tab: its page, the numbers of its elements, its last look, and the dialogs that it opens. */
import { abortable, isTimeout, oneLine, withTimeout } from "@tau/utils";
import type { Dialog, Page, Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { describeAgain, describeChange, describeLook, lookAt, type Look } from "../look/look.ts";
import { Refs } from "../look/refs.ts";
import { readTree, type PageTree } from "../look/tree.ts";
import { inFrame } from "./in-page.ts";
import { PageLoading } from "./loading.ts";

/** How an attempt to open a page has ended; empty if it is there. */
export interface Navigation {
	/** Why there is no new page. */
	readonly problem?: string;
	/** The old page does not let go: its script has begun to compute without an end. */
	readonly isStuck?: boolean;
}

export class Tab {
	readonly id: number;
	readonly page: Page;
	readonly refs: Refs;
	readonly loading: PageLoading;
	/** What has happened since the last result. */
	#notes: string[] = [];
	/** The page as the model knows it, from looks and changes. */
	#shown: Look | undefined;
	#dialog: Dialog | undefined;
	#onDialog: (() => void) | undefined;
	#hasCrashed = false;

	/** `refs` of the tab that this one replaces: no number is used twice. */
	constructor(id: number, page: Page, refs = new Refs()) {
		this.id = id;
		this.page = page;
		this.refs = refs;
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

	/** Everything that is there to use, or what contains certain words; and what has happened. */
	async describe(words?: string): Promise<string> {
		if (!this.#mayLook()) return await this.#whole([]);
		const look = await this.look();
		// A part of a page is nothing that later changes can be told from.
		if (words === undefined) this.#shown = look;
		return await this.#whole([describeLook(look, words)], look.title);
	}

	/** What has changed since the model saw this page, or a whole look at another one. */
	async describeAgain(): Promise<string> {
		if (!this.#mayLook()) return await this.#whole([]);
		const before = this.#shown;
		const look = await this.look();
		this.#shown = look;
		return await this.#whole([describeAgain(before, look)], look.title);
	}

	/** What an action has changed, or a whole look if it led to another page. */
	async describeChange(): Promise<string> {
		if (!this.#mayLook()) return await this.#whole([]);
		const before = this.#shown;
		const look = await this.look();
		this.#shown = look;
		if (before?.document !== look.document) return await this.#whole([describeLook(look)], look.title);
		return await this.#whole([describeChange(before, look) ?? "No visible change."], look.title);
	}

	async look(): Promise<Look> {
		return lookAt(await this.tree(), this.page.mainFrame(), this.refs);
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
				`The page does not answer; a script of it may be busy. Wait, or open another page.`,
				"TimeoutError",
			);
		}
	}

	/** False for a page that has crashed, or whose script computes without an end: nothing else can be done with it. */
	async isAlive(): Promise<boolean> {
		if (this.#dialog || this.#hasCrashed) return !this.#hasCrashed;
		return await this.within(inFrame(this.page.mainFrame(), "turn"), limits.busyMs).then(
			() => true,
			(error: unknown) => !isTimeout(error) && !this.#hasCrashed,
		);
	}

	/** Resolves when the tab has the new document; the browser answers earlier. */
	async navigate(url: string): Promise<Navigation> {
		const { client } = this.page.mainFrame();
		const arrived = Promise.withResolvers<void>();
		const seen = new Set<string>();
		let wanted: string | undefined;
		const onNavigated = ({ frame }: Protocol.Page.FrameNavigatedEvent): void => {
			if (frame.parentId !== undefined) return;
			seen.add(frame.loaderId);
			// A page that was sent elsewhere in the meantime has another one.
			if (wanted !== undefined) arrived.resolve();
		};
		client.on("Page.frameNavigated", onNavigated);
		try {
			const { loaderId, errorText } = await client.send("Page.navigate", { url });
			wanted = loaderId;
			if (errorText !== undefined) return { problem: errorText };
			if (wanted !== undefined && !seen.has(wanted)) await this.within(arrived.promise, limits.commitMs);
			return {};
		} catch (error) {
			if (isTimeout(error)) return { isStuck: true };
			return { problem: error instanceof Error ? error.message : String(error) };
		} finally {
			client.off("Page.frameNavigated", onNavigated);
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
