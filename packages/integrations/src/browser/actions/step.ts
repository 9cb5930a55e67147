/** What every action works with, and the result of those that change the page. */
import type { AgentToolResult } from "@tau/agent";
import { oneLine } from "@tau/utils";

import type { BrowserSession } from "../browser-session.ts";
import { limits } from "../limits.ts";
import type { Tab } from "../page/tab.ts";
import { OutputSink } from "@tau/tools/output";
import { type ToolContext, textResult } from "@tau/tools/tool";
import type { Arguments } from "../parameters.ts";

export interface Step {
	readonly args: Arguments;
	readonly context: ToolContext;
	readonly session: BrowserSession;
}

/** How long a call may wait. */
export function secondsOf({ seconds }: Arguments, usual: number): number {
	return seconds === undefined || seconds <= 0 ? usual : Math.min(seconds, limits.maxSeconds);
}

/** Acts on the page, waits until it has come to rest, and returns what has changed. */
export async function acted(
	step: Step,
	work: (tab: Tab) => Promise<unknown>,
	prefix?: string,
): Promise<AgentToolResult> {
	const { session, context, args } = step;
	const tab = await session.tab(args.tab === 0 ? undefined : args.tab, context.signal);
	if (tab.dialog) throw new Error("The page waits for an answer to its dialog. Use dialog first.");
	const since = performance.now();
	await tab.act(work(tab), context.signal);
	return await settled(step, tab, since, prefix);
}

/** The result after an action on a tab, which began at a time. */
export async function settled(
	{ session, context }: Step,
	tab: Tab,
	since: number,
	prefix?: string,
): Promise<AgentToolResult> {
	await tab.loading.settle(since, context.signal);
	const downloads = session.running?.downloads;
	await downloads?.ended(since, limits.settleMs, context.signal);
	for (const report of downloads?.takeReports() ?? []) tab.note(report);
	for (const refused of await refusedHosts({ session, context }, since)) tab.note(refused);
	const text = tab.page.isClosed() ? "The tab has closed itself." : await tab.describeChange();
	return textResult(prefix === undefined ? text : `${prefix}\n${text}`, { url: tab.page.url() });
}

/** Connections that were refused since a time, by the browser's own network or by the sandbox. */
export async function refusedHosts(
	{ session, context }: Pick<Step, "session" | "context">,
	since: number,
): Promise<string[]> {
	const own = session.network
		.refusedSince(since)
		.filter(({ reason }) => reason.startsWith("it is an address"))
		.map(({ host, port, reason }) => {
			const target = `${oneLine(host, limits.titleChars)}:${port}`;
			return `The connection to ${target} was refused: ${reason}. The user can allow it with the setting fetch.allowPrivate.`;
		});
	const isInside = session.running?.started.contained === "tau";
	const denials = isInside ? ((await context.sandbox?.denials("", context.cwd, since)) ?? []) : [];
	return [
		...new Set([
			...own,
			...denials.map(({ what, isOther }) => (isOther ? `${what}.` : `The sandbox: ${what}.`)),
		]),
	];
}

/** A text of any length: its start, and the address of the rest. */
export function boundedText(header: string, text: string, { artifacts }: ToolContext): AgentToolResult {
	using sink = new OutputSink({
		tool: "browser",
		artifacts,
		headBytes: limits.resultBytes,
		tailBytes: 0,
	});
	sink.push(Buffer.from(text));
	const { text: shown } = sink.summary();
	return textResult([header, shown].filter((part) => part !== "").join("\n"));
}
