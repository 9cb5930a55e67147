/** Knows when a page has come to rest: after it has loaded, and after the requests that an action started. */
import { listen, timer } from "@tau/utils";
import type { Page } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { PageActivity } from "./activity.ts";
import { inFrame } from "./in-page.ts";

type Phase = "loading" | "interactive" | "loaded";

export class PageLoading {
	readonly activity: PageActivity;
	readonly #page: Page;
	#phase: Phase = "loaded";
	#documentBytes = 0;
	#since = performance.now();
	#waiting: (() => void)[] = [];
	/** Something that a wait must not outlast, such as a dialog. */
	isBlocked = false;
	/** Of the main document; undefined before the first response. */
	status: number | undefined;

	constructor(page: Page) {
		this.#page = page;
		this.activity = new PageActivity(page, () => this.changed());
		const main = page.mainFrame();
		const isMain = (frameId: string): boolean => frameId === page.mainFrame()._id;
		const { client } = main;
		// Sent before the answer to whatever started the navigation.
		client.on("Page.frameRequestedNavigation", ({ frameId, disposition }) => {
			if (isMain(frameId) && disposition === "currentTab") this.#enter("loading");
		});
		client.on("Page.frameStartedLoading", ({ frameId }) => {
			if (isMain(frameId)) this.#enter("loading");
		});
		client.on("Page.frameStoppedLoading", ({ frameId }) => {
			if (isMain(frameId)) this.#enter("loaded");
		});
		let document: string | undefined;
		client.on("Network.requestWillBeSent", ({ requestId, frameId, type }) => {
			if (type !== "Document" || frameId === undefined || !isMain(frameId)) return;
			document = requestId;
			this.#documentBytes = 0;
		});
		client.on("Network.dataReceived", ({ requestId, dataLength }) => {
			if (requestId === document) this.#receive(dataLength);
		});
		page.on("domcontentloaded", () => {
			if (this.#phase === "loading") this.#enter("interactive");
		});
		page.on("load", () => this.#enter("loaded"));
		page.on("response", (response) => {
			if (response.request().isNavigationRequest() && response.frame() === page.mainFrame())
				this.status = response.status();
		});
	}

	/** True when the page was too large to be loaded to its end. */
	get isCut(): boolean {
		return this.#documentBytes > limits.documentBytes;
	}

	/** To be called when something has happened that a wait looks at. */
	changed(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const resolve of waiting) resolve();
	}

	/** Resolves when nothing is expected to change any more, or has taken too long. `since` is when the action began. */
	async settle(since: number, signal: AbortSignal): Promise<void> {
		await this.#pageTurn();
		let until = this.#pendingUntil(since);
		if (until === undefined) return;
		while (until !== undefined) {
			signal.throwIfAborted();
			await this.#nextChange(until - performance.now(), signal);
			until = this.#pendingUntil(since);
		}
		// What has arrived is handled by then.
		await this.#pageTurn();
	}

	/** Waits for a change of the page's state, at most so long. */
	async #nextChange(ms: number, signal: AbortSignal): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#waiting.push(resolve);
		using _late = timer(Math.max(1, ms), resolve);
		using _aborted = listen(signal, "abort", () => resolve());
		await promise;
	}

	#pendingUntil(since: number): number | undefined {
		if (this.isBlocked || this.#page.isClosed()) return undefined;
		const ends =
			this.#phase === "loading"
				? [this.#since + limits.loadSeconds * 1000]
				: [
						...(this.#phase === "interactive" ? [this.#since + limits.restMs] : []),
						...(this.activity.openSince(since) > 0 ? [Math.max(since, this.#since) + limits.settleMs] : []),
					];
		const open = ends.filter((end) => end > performance.now());
		return open.length === 0 ? undefined : Math.min(...open);
	}

	#receive(bytes: number): void {
		const isKnown = this.isCut;
		this.#documentBytes += bytes;
		// The page may be gone already.
		if (this.isCut && !isKnown)
			void this.#page
				.mainFrame()
				.client.send("Page.stopLoading")
				.catch(() => {});
	}

	#enter(phase: Phase): void {
		if (phase !== "loaded" || this.#phase !== "loaded") this.#since = performance.now();
		this.#phase = phase;
		this.changed();
	}

	/** Lets the handlers of an event run; a page that is left, or blocked by a dialog, does not answer. */
	async #pageTurn(): Promise<void> {
		if (this.isBlocked || this.#page.isClosed()) return;
		// Frames of other origins have processes of their own.
		const frames = [...new Map(this.#page.frames().map((frame) => [frame.client, frame])).values()];
		const turn = Promise.all(
			frames.slice(0, limits.frames).map((frame) => inFrame(frame, "turn").catch(() => {})),
		);
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#waiting.push(resolve);
		using _late = timer(limits.settleMs, resolve);
		await Promise.race([turn, promise]);
	}
}
