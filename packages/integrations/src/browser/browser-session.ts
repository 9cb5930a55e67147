/** The browser of a session: started with its first page, ended with the session. */
import { localMachine } from "@tau/sys";
import { abortable, oneLine, withTimeout } from "@tau/utils";
import type { CDPSession, Page, Target } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "./limits.ts";
import { Tab } from "./page/tab.ts";
import { ProjectCookies } from "./process/cookies.ts";
import { Downloads } from "./process/downloads.ts";
import { findBrowser } from "./process/find-browser.ts";
import { privateTargets } from "./private-targets.ts";
import { BrowserNetwork } from "./process/network.ts";
import { ProjectStorage } from "./process/storage.ts";
import {
	BrowserStartError,
	startBrowser,
	type BrowserStart,
	type StartedBrowser,
} from "./process/start-browser.ts";
import { planMode, type ToolEnv, type ServiceKey } from "@tau/tools/tool";

export interface RunningBrowser {
	readonly started: StartedBrowser;
	/** For what concerns the browser as a whole. */
	readonly session: CDPSession;
	readonly downloads: Downloads;
	readonly tabs: Map<number, Tab>;
	readonly isVisible: boolean;
	readonly path: string;
}

export class BrowserSession implements AsyncDisposable {
	readonly network: BrowserNetwork;
	readonly #env: ToolEnv;
	readonly #cookies: ProjectCookies;
	readonly #storage: ProjectStorage;
	#running: Promise<RunningBrowser> | undefined;
	#current: RunningBrowser | undefined;
	#tab: Tab | undefined;
	#made = 0;
	#notes: string[] = [];
	#isClosed = false;

	constructor(env: ToolEnv) {
		this.#env = env;
		this.network = new BrowserNetwork(env.settings, env.services.get(privateTargets, env));
		this.#cookies = new ProjectCookies(env);
		this.#storage = new ProjectStorage(env);
	}

	/** Undefined while no browser runs. */
	get running(): RunningBrowser | undefined {
		return this.#current;
	}

	/** Its pages are gone with it. */
	get holdsState(): boolean {
		return this.#current !== undefined;
	}

	get currentTab(): Tab | undefined {
		return this.#tab;
	}

	/** Where a call that names this tab would act. */
	urlOf(id: number | undefined): string | undefined {
		return (id === undefined || id === 0 ? this.#tab : this.#current?.tabs.get(id))?.page.url();
	}

	/** What the next result says first: that a browser was started or lost. */
	takeNotes(): string[] {
		const notes = this.#notes;
		this.#notes = [];
		return notes;
	}

	/** The tab of this number or, without one, the current one. Starts the browser if need be. */
	async tab(id: number | undefined, signal: AbortSignal): Promise<Tab> {
		const { tabs, started } = await this.start(signal);
		const tab = id === undefined ? this.#tab : tabs.get(id);
		if (tab) return this.select(tab);
		if (id !== undefined) {
			const ids = [...tabs.keys()].join(", ");
			throw new Error(`There is no tab ${id}. There are: ${ids || "none"}.`);
		}
		return this.select(await this.#adopt(await started.browser.newPage()));
	}

	async newTab(signal: AbortSignal): Promise<Tab> {
		const { tabs, started } = await this.start(signal);
		if (tabs.size >= limits.tabs) throw new Error(`${limits.tabs} tabs are open. Close one first.`);
		return this.select(await this.#adopt(await started.browser.newPage()));
	}

	select(tab: Tab): Tab {
		this.#tab = tab;
		return tab;
	}

	async closeTab(tab: Tab): Promise<void> {
		await atMost(limits.closeMs, tab.page.close());
		this.#forget(tab);
	}

	/** A new page in the place of one that does not answer, in a process of its own. */
	async replace(stuck: Tab, { started }: RunningBrowser): Promise<Tab> {
		const tab = await this.#adopt(await started.browser.newPage(), stuck);
		tab.note("The last page of this tab did not answer and was closed. The history of the tab is gone.");
		void atMost(limits.closeMs, stuck.page.close());
		return this.select(tab);
	}

	async start(signal: AbortSignal): Promise<RunningBrowser> {
		if (this.#isClosed) throw new Error("The session has ended.");
		await this.#endStale();
		this.#running ??= this.#start(signal);
		try {
			return await this.#running;
		} catch (error) {
			this.#running = undefined;
			throw error;
		}
	}

	/** Ends the browser; the next call starts another one. */
	async close(): Promise<void> {
		const running = await this.#running?.catch(() => undefined);
		this.#running = undefined;
		this.#current = undefined;
		this.#tab = undefined;
		if (!running) return;
		await atMost(limits.closeMs, Promise.all([this.#cookies.save(running.session), this.#storage.save()]));
		await running.started[Symbol.asyncDispose]();
	}

	/** Deletes the cookies and the local storage of the project. */
	async clearData({ session }: RunningBrowser): Promise<void> {
		await session.send("Storage.clearCookies");
		await this.#cookies.save(session);
		await this.#storage.clear();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isClosed = true;
		await this.close();
		await this.network[Symbol.asyncDispose]();
	}

	/** Where commands run now, the browser has to run too. */
	async #endStale(): Promise<void> {
		const program = this.#current?.started.program;
		if (!program?.isCurrent || (await program.isCurrent())) return;
		await this.close();
		this.#notes.push("The sandbox has changed: the browser was started again, and its tabs are closed.");
	}

	async #start(signal: AbortSignal): Promise<RunningBrowser> {
		const { machine, settings, cwd, env } = this.#env;
		if (machine.where.kind !== "local" && machine.where.kind !== "sandbox")
			throw new Error(`The browser runs on this machine only, and not on ${machine.where.label}.`);
		const path = await findBrowser(this.#env);
		const isVisible = settings.get("browser.visible");
		const args = settings.get("browser.args");
		const proxyPort = await this.network.listen();
		const start = { path, cwd, env, isVisible, args, proxyPort };
		const started = await startBrowser(machine.shell, start, signal).catch((error: unknown) =>
			this.#startOutside(start, error, signal),
		);
		const session = await started.browser.target().createCDPSession();
		const { files } = started.contained === "tau" ? machine : localMachine();
		const downloads = new Downloads({ artifacts: this.#env.artifacts, files }, session, started.profile);
		const hosted =
			started.contained === "tau"
				? this.#env.sandbox?.hostBrowser((host) => this.network.hasJustOpened(host))
				: undefined;
		void started.program.exited.then(() => hosted?.[Symbol.dispose]());
		await Promise.all([downloads.listen(), this.#cookies.restore(session), this.#storage.begin()]);
		const running: RunningBrowser = { started, session, downloads, tabs: new Map(), isVisible, path };
		this.#current = running;
		for (const page of await started.browser.pages()) this.#tab ??= await this.#adopt(page);
		started.browser.on("targetcreated", (target) => void this.#opened(target));
		void started.program.exited.then((end) => this.#ended(running, end.killedBy));
		if (started.contained === "none")
			this.#notes.push(
				"The browser runs without its own sandbox, because Tau runs as root: open only pages that you trust.",
			);
		return running;
	}

	/** A sandbox that lets no browser run, such as Landlock: the user may let it run outside, in its own. */
	async #startOutside(start: BrowserStart, error: unknown, signal: AbortSignal): Promise<StartedBrowser> {
		const { sandbox, services } = this.#env;
		const isInside = error instanceof BrowserStartError && error.isInside;
		if (!isInside || !sandbox || services.provided(planMode)?.isOn) throw error;
		const why = `the sandbox lets no browser run (${oneLine(error.message, limits.titleChars)})`;
		if (!(await sandbox.requestOutside(start.path, why, signal))) throw error;
		return await startBrowser(sandbox.outside, start, signal);
	}

	async #adopt(page: Page, replaced?: Tab): Promise<Tab> {
		const tabs = this.#current?.tabs ?? new Map<number, Tab>();
		for (const tab of tabs.values()) if (tab.page === page) return tab;
		const tab = new Tab(replaced?.id ?? ++this.#made, page, replaced?.refs);
		tabs.set(tab.id, tab);
		const { client } = page.mainFrame();
		page.once("close", () => {
			this.#storage.forget(client);
			this.#forget(tab);
		});
		await this.#storage.follow(client);
		return tab;
	}

	#forget(tab: Tab): void {
		if (this.#current?.tabs.get(tab.id) === tab) this.#current.tabs.delete(tab.id);
		if (this.#tab === tab) this.#tab = [...(this.#current?.tabs.values() ?? [])].at(-1);
	}

	/** A page has opened a tab: it is announced, and not switched to. */
	async #opened(target: Target): Promise<void> {
		if (target.type() !== "page") return;
		// It may be gone again.
		const page = await target.page().catch(() => null);
		const opener = await target
			.opener()
			?.page()
			.catch(() => null);
		if (!page || !opener || !this.#current) return;
		if (this.#current.tabs.size >= limits.tabs) {
			this.#tab?.note(`A page tried to open more than ${limits.tabs} tabs.`);
			await page.close().catch(() => {});
			return;
		}
		const tab = await this.#adopt(page);
		this.#tab?.note(`Tab ${tab.id} was opened: ${oneLine(target.url(), limits.urlChars)}`);
		this.#tab?.loading.changed();
	}

	#ended(running: RunningBrowser, killedBy: string | undefined): void {
		if (this.#current !== running) return;
		this.#current = undefined;
		this.#running = undefined;
		this.#tab = undefined;
		const how = killedBy === undefined ? "has ended" : `was ended by ${killedBy}`;
		this.#notes.push(`The browser ${how}; its tabs are closed.`);
	}
}

/** What fails or takes longer is given up: the browser is ended all the same. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
	using deadline = withTimeout(undefined, ms, "the browser");
	await abortable(work, deadline.signal).catch(() => {});
}

export const browserService: ServiceKey<BrowserSession> = {
	name: "browser",
	create: (env) => new BrowserSession(env),
};

/** Lines for the user: the browser and its tabs. */
export function describeBrowser({ running, currentTab }: BrowserSession): string[] {
	if (!running) return [];
	const { started, isVisible, path, tabs } = running;
	const where = { browser: "its own sandbox", tau: "Tau's sandbox", none: "no sandbox (root)" };
	return [
		`${path}, ${isVisible ? "visible" : "headless"}, ${where[started.contained]}`,
		...[...tabs.values()].map(
			(tab) =>
				`  ${tab === currentTab ? "*" : " "} tab ${tab.id} ${oneLine(tab.page.url(), limits.urlChars)}`,
		),
	];
}
