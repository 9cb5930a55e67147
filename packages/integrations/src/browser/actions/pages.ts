/** Goes to pages, and between them: open, back, forward, reload, tabs, close, wait, dialog. */
import type { AgentToolResult } from "@tau/agent";
import { abortable, delay, oneLine } from "@tau/utils";

import { limits } from "../limits.ts";
import { textLines } from "../look/texts.ts";
import type { Navigation, Tab } from "../page/tab.ts";
import { textResult } from "@tau/tools/tool";
import { refusedHosts, secondsOf, settled, type Step } from "./step.ts";
import { needed } from "./act.ts";

export async function open(step: Step): Promise<AgentToolResult> {
	const { args, context, session } = step;
	const url = webAddress(needed(args.url, "url"));
	const known =
		args.tab === 0 ? await session.newTab(context.signal) : await session.tab(args.tab, context.signal);
	if (known.dialog) throw new Error("The page waits for an answer to its dialog. Use dialog first.");
	session.network.opens(url);
	const since = performance.now();
	const { tab, failure } = await arrive(step, known, url.href);
	if (failure !== undefined && !session.running?.downloads.hasBegunSince(since)) {
		const refused = await refusedHosts(step, since);
		throw new Error([`${url.href} was not opened: ${failure}.`, ...refused].join("\n"));
	}
	const refused = (await refusedHosts(step, since)).find((text) => text.includes(` ${url.hostname}:`));
	if (refused !== undefined) {
		// The status of the proxy's answer may arrive after that of the navigation.
		await tab.loading.settle(since, context.signal);
		if (tab.loading.status === 403) throw new Error(refused);
	}
	return await settled(step, tab, since);
}

/** Files and pages of the browser itself are not for the model. */
function webAddress(text: string): URL {
	// `localhost:3000` has no scheme, although it looks like one.
	const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^(?:localhost|[\w-]+(?:\.[\w-]+)+):\d/i.test(text);
	const url = URL.parse(hasScheme ? text : `http://${text}`);
	if (!url || text.length > limits.openedUrlChars)
		throw new Error(`${oneLine(text, limits.titleChars)} is not an address.`);
	if (url.protocol !== "http:" && url.protocol !== "https:")
		throw new Error(`${url.protocol} pages are not opened, only http: and https:.`);
	return url;
}

/** Opens a page. A tab whose page does not let go is replaced; a second one that is stuck has the new page's fault. */
async function arrive(step: Step, known: Tab, url: string): Promise<{ tab: Tab; failure?: string }> {
	const running = await step.session.start(step.context.signal);
	const isAlive = await abortable(known.isAlive(), step.context.signal);
	let tab = isAlive ? known : await step.session.replace(known, running);
	let outcome = await arrival(step, tab, url);
	if (outcome.isStuck && tab === known) {
		tab = await step.session.replace(known, running);
		outcome = await arrival(step, tab, url);
	}
	const failure = outcome.isStuck ? "the page does not answer" : outcome.problem;
	return { tab, ...(failure === undefined ? {} : { failure: readable(failure) }) };
}

function readable(failure: string): string {
	if (!failure.startsWith("net::ERR_")) return failure;
	return failure.slice("net::ERR_".length).toLowerCase().replaceAll("_", " ");
}

/** A question to the user may take as long as it likes. */
async function arrival({ args, context, session }: Step, tab: Tab, url: string): Promise<Navigation> {
	const seconds = secondsOf(args, limits.loadSeconds);
	let left = seconds * 1000;
	tab.loading.status = undefined;
	const navigated = tab.navigate(url);
	while (left > 0) {
		const step = Math.min(left, 1000);
		const over = new AbortController();
		const waited = delay(step, AbortSignal.any([context.signal, over.signal])).catch(() => undefined);
		const arrived = await Promise.race([navigated, waited]);
		over.abort();
		context.signal.throwIfAborted();
		if (arrived) return arrived;
		if (!session.network.isAsking) left -= step;
	}
	await tab.page
		.mainFrame()
		.client.send("Page.stopLoading")
		.catch(() => {});
	return { problem: `it did not answer within ${seconds} s` };
}

export async function travel(step: Step): Promise<AgentToolResult> {
	const { session, context, args } = step;
	const tab = await session.tab(args.tab === 0 ? undefined : args.tab, context.signal);
	if (tab.dialog) throw new Error("The page waits for an answer to its dialog. Use dialog first.");
	const since = performance.now();
	const { client } = tab.page.mainFrame();
	const { currentIndex, entries } = await client.send("Page.getNavigationHistory");
	const offset = { back: -1, forward: 1 }[args.action as string] ?? 0;
	const entry = entries[currentIndex + offset];
	if (!entry) throw new Error(`There is no page to go ${args.action} to.`);
	if (!(await abortable(tab.isAlive(), context.signal))) {
		const { tab: fresh, failure } = await arrive(step, tab, entry.url);
		if (failure !== undefined) throw new Error(`${entry.url} was not opened: ${failure}.`);
		return await settled(step, fresh, since);
	}
	const go = async (): Promise<void> => {
		if (offset === 0) return await client.send("Page.reload");
		const arrived = Promise.withResolvers<void>();
		tab.page.once("framenavigated", () => arrived.resolve());
		await client.send("Page.navigateToHistoryEntry", { entryId: entry.id });
		await tab.within(arrived.promise);
	};
	await tab.act(go(), context.signal);
	return await settled(step, tab, since);
}

export async function tabs({ session, args, context }: Step): Promise<AgentToolResult> {
	if (args.tab !== undefined && args.tab > 0) {
		const tab = await session.tab(args.tab, context.signal);
		await tab.page.bringToFront().catch(() => {});
		return textResult(await tab.describe());
	}
	const all = [...(session.running?.tabs.values() ?? [])];
	const lines = await Promise.all(
		all.map(async (tab) => `${tab === session.currentTab ? "* " : "  "}${await tab.header()}`),
	);
	return textResult(lines.length === 0 ? "No tab is open." : lines.join("\n"));
}

export async function close({ session, args, context }: Step): Promise<AgentToolResult> {
	if (args.tab === undefined || args.tab === 0) {
		if (!session.running) return textResult("The browser is not running.");
		await session.close();
		return textResult("Closed the browser.");
	}
	const tab = await session.tab(args.tab, context.signal);
	await session.closeTab(tab);
	return textResult(`Closed tab ${tab.id}.`);
}

export async function dialog(step: Step): Promise<AgentToolResult> {
	const { session, args, context } = step;
	const tab = await session.tab(args.tab, context.signal);
	const since = performance.now();
	const done = await tab.answer(args.accept ?? true, args.text);
	return await settled(step, tab, since, done);
}

/** For a text to appear or to disappear, or for the requests of the page. */
export async function wait(step: Step): Promise<AgentToolResult> {
	const { session, args, context } = step;
	const { text, gone = false } = args;
	const tab = await session.tab(args.tab, context.signal);
	const since = performance.now();
	if (text === undefined) {
		await tab.loading.settle(0, context.signal);
		return await settled(step, tab, since);
	}
	const end = since + secondsOf(args, limits.loadSeconds) * 1000;
	while (performance.now() < end) {
		// A page that is being replaced is looked at again.
		const tree = tab.dialog ? undefined : await tab.tree().catch(() => undefined);
		const isThere = tree !== undefined && textLines(tree.roots).some((line) => line.includes(text));
		if (tree !== undefined && isThere !== gone) return await settled(step, tab, since);
		if (tab.dialog) break;
		await delay(limits.pollMs, context.signal);
	}
	const state = gone ? "is still there" : "did not appear";
	const waited = Math.round((performance.now() - since) / 1000);
	return { ...(await settled(step, tab, since, `The text ${state} after ${waited} s.`)), isError: true };
}
