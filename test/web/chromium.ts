/** One Chromium for all test files of a process, and what the pages of each file have said. */
import puppeteer, { type Browser, type BrowserContext, type Page } from "puppeteer-core";

import { headlessShell } from "../support/headless-shell.ts";

const whole = Bun.which("chromium") ?? "chromium";

/** By default each frame would be drawn for a look at it. The bound is for a busy machine. */
const waiting = { timeout: 60_000, polling: 50 };

export interface Chromium extends AsyncDisposable {
	browser(): Promise<Browser>;
	/** A page with nothing of another one: its own cookies and store. */
	open(url: string, options?: { width?: number; height?: number; theme?: "light" | "dark" }): Promise<Page>;
	/** What pages have reported as errors: a test ends with none. */
	readonly errors: string[];
	/** Closes the pages so far: one that stays open continues to draw and to ask its server. */
	closePages(): Promise<void>;
}

/** One of its own that has all that users have, which ends with the value. */
export async function launchChromium(): Promise<Chromium> {
	const own = lazyChromium({ isWhole: true });
	await own.browser();
	return own;
}

/** The one of this process, which ends with it; without its windows, where that is installed. Its pages end with the value. */
export async function shareChromium(): Promise<Chromium> {
	const pages = lazyChromium();
	await pages.browser();
	return pages;
}

/** The one of this process, or one of its own that has all that users have; it starts with its first use. */
export function lazyChromium({ isWhole = false }: { isWhole?: boolean | undefined } = {}): Chromium {
	if (isWhole) {
		const own = new Lasting(whole);
		return { ...pagesOf(own), [Symbol.asyncDispose]: () => own.close() };
	}
	const pages = pagesOf(shared);
	return { ...pages, [Symbol.asyncDispose]: pages.closePages };
}

/** Starts again after a crash, and after Bun has killed it with a test that took too long: the next test gets a new one. */
class Lasting {
	readonly #program: string;
	#running: Promise<Browser> | undefined;

	constructor(program: string) {
		this.#program = program;
	}

	async browser(): Promise<Browser> {
		const known = this.#running;
		const browser = await known?.catch(() => undefined);
		if (browser?.connected) return browser;
		// Another page may have noticed it first.
		const next =
			this.#running === known ? startBrowser(this.#program) : (this.#running ?? startBrowser(this.#program));
		this.#running = next;
		return await next;
	}

	async close(): Promise<void> {
		const browser = await this.#running?.catch(() => undefined);
		if (browser?.connected) await browser.close();
	}
}

const shared = new Lasting(headlessShell ?? whole);

function startBrowser(executablePath: string): Promise<Browser> {
	return puppeteer.launch({
		executablePath,
		// The tests run as root too, where Chromium's own sandbox does not start.
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-dev-shm-usage",
			"--enable-features=IsolateSandboxedIframes",
			// As is usual: without its windows, Chromium would run a document that hangs in the process of the page.
			"--site-per-process",
		],
	});
}

function pagesOf(lasting: Lasting): Omit<Chromium, typeof Symbol.asyncDispose> {
	const errors: string[] = [];
	const contexts: BrowserContext[] = [];
	return {
		browser: () => lasting.browser(),
		errors,
		async open(url, { width = 1280, height = 800, theme = "light" } = {}) {
			const browser = await lasting.browser();
			const context = await browser.createBrowserContext();
			contexts.push(context);
			const page = await context.newPage();
			page.setDefaultTimeout(waiting.timeout);
			page.on("pageerror", (error) => errors.push(error instanceof Error ? error.message : String(error)));
			page.on("console", (message) => {
				if (message.type() === "error") errors.push(message.text());
			});
			await page.setViewport({ width, height, isMobile: width < 500, hasTouch: width < 500 });
			await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
			await page.goto(url);
			return page;
		},
		async closePages() {
			const open = contexts.splice(0).filter((context) => context.browser().connected);
			await Promise.all(open.map((context) => context.close()));
		},
	};
}

/** Waits, with a bound, until the page shows a text. Code of the page is a string: the tests have no types of browsers. */
export async function untilText(page: Page, text: string, within = "body"): Promise<void> {
	const shown = `document.querySelector(${JSON.stringify(within)})?.innerText.includes(${JSON.stringify(text)})`;
	await page.waitForFunction(shown, waiting);
}

export async function textOf(page: Page, selector: string): Promise<string> {
	return String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`));
}

/** Waits, with a bound, until an expression is true in the page. */
export async function until(page: Page, expression: string): Promise<void> {
	await page.waitForFunction(expression, waiting);
}

/**
 * Waits, with a bound, until an expression has a value in the artifact that a page shows. It is asked from here: a wait
 * in the frame ends without a word when its document is written, or its process is another one.
 */
export async function untilInArtifact(page: Page, expression: string): Promise<unknown> {
	const end = performance.now() + waiting.timeout;
	while (performance.now() < end) {
		const frame = page.frames().find((each) => URL.parse(each.url())?.pathname === "/artifact");
		const value = await frame?.evaluate(expression).catch(() => undefined);
		if (value) return value;
		await Bun.sleep(waiting.polling);
	}
	throw new Error(`The artifact never had ${expression}.`);
}
