/** `tau web`: the browser on your own sessions. The server is in the daemon, and listens until it is stopped. */
import { UsageError } from "@tau/utils";
import { openBrowser } from "@tau/session-commands/shared";

import type { WebOutcome } from "@tau/server/local/protocol";
import { askWeb, openRequest } from "@tau/server/daemon/daemon-client";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadSettings } from "../launch/load-settings.ts";
import { onInterrupt } from "../signals.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

type Outcome = Extract<WebOutcome, { type: "web" }>;

export async function runWeb(args: Args): Promise<number> {
	const [action = "open"] = args.operands;
	const asJson = isJson(args) || args.flags.has("json");
	using interruption = onInterrupt();
	const { signal } = interruption;
	if (action === "open") return await open(args, asJson, signal);
	for (const flag of ["port", "no-open"] as const)
		if (args.flags.has(flag)) throw new UsageError(`--${flag} does not apply to tau web ${action}.`);
	if (action === "stop") return await stop(asJson, signal);
	const request = { action: action === "logout" ? "logout" : "status" } as const;
	return await show((await askWeb(request, signal)) ?? stopped, asJson);
}

const stopped: Outcome = { type: "web", isRunning: false };

async function open(args: Args, asJson: boolean, signal: AbortSignal): Promise<number> {
	const { outcome, link, isOpened } = await openPage(args, signal);
	if (asJson) return printed(jsonLine({ ...outcome, links: undefined, link, isOpened }));
	return printed(`${linkText(link, isOpened)}\nStop it: tau web stop\n`);
}

export interface OpenedPage {
	readonly outcome: Outcome | undefined;
	readonly link: string;
	readonly isOpened: boolean;
}

/** Starts or finds the server, and opens the browser, at a place of the page such as `stats/7d`. */
export async function openPage(args: Args, signal: AbortSignal, to?: string): Promise<OpenedPage> {
	const settings = await loadSettings(args);
	const port = portIn(args) ?? settings.getWithoutProject("web.port");
	const { env } = openRequest([], process.cwd(), process.env);
	const outcome = await askWeb(
		{
			action: "start",
			port,
			isFlexible: !args.flags.has("port"),
			origins: settings.getWithoutProject("web.origins").map(originIn),
			env,
			cwd: process.cwd(),
		},
		signal,
	);
	const place = to === undefined ? "" : `&to=${to}`;
	const [link = "", forBrowser = ""] = (outcome?.links ?? []).map((each) => `${each}${place}`);
	const isElsewhere = outcome?.origin !== undefined && new URL(outcome.origin).port !== String(port);
	if (isElsewhere && args.flags.has("port") && port !== 0)
		throw new UsageError(`tau web runs at ${outcome.origin} already. Stop it first: tau web stop`);
	const isOpened = !args.flags.has("no-open") && openBrowser(forBrowser, process.env);
	return { outcome, link, isOpened };
}

export function linkText(link: string, isOpened: boolean): string {
	const opened = isOpened ? "Opened in your browser. For another one" : "Open this link";
	return `${opened} (it works once, within 10 minutes):\n\n  ${link}\n`;
}

async function stop(asJson: boolean, signal: AbortSignal): Promise<number> {
	const before = await askWeb({ action: "status" }, signal);
	await askWeb({ action: "stop" }, signal);
	if (asJson) return printed(jsonLine(stopped));
	return printed(before?.isRunning ? "Stopped. Sessions continue.\n" : "tau web is not running.\n");
}

async function show(outcome: Outcome, asJson: boolean): Promise<number> {
	const { isRunning, origin, pages = 0, browsers = 0 } = outcome;
	const text = isRunning
		? `tau web runs at ${origin}. Pages: ${pages}. Browsers that are let in: ${browsers}.\n`
		: "tau web is not running.\n";
	const code = await printed(asJson ? jsonLine(outcome) : text);
	return code === exitCodes.answered && !isRunning ? exitCodes.failed : code;
}

function portIn({ flags }: Args): number | undefined {
	const text = flags.get("port");
	if (text === undefined) return undefined;
	if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
	throw new UsageError(`--port ${text}: not a port.`);
}

/** Exactly an origin: what a browser sends is compared with it. */
function originIn(text: string): string {
	if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text)
		return text;
	throw new UsageError(`web.origins: "${text}" is not an origin, such as https://laptop.example.ts.net.`);
}
