/** Runs one call of the tool `browser`. */
import type { AgentToolResult } from "@tau/agent";

import { browserService } from "../browser-session.ts";
import { planMode, type ToolContext, errorResult } from "@tau/tools/tool";
import type { Action, Arguments } from "../parameters.ts";
import { currentPage } from "../current-page.ts";
import { click, drag, fill, hover, press, scroll, select, type, upload, type Act } from "./act.ts";
import { download, pdf, screenshot } from "./capture.ts";
import { close, dialog, open, tabs, travel, wait } from "./pages.ts";
import { article, cookies, evaluate, logs, look } from "./read.ts";
import { acted, type Step } from "./step.ts";

type Handler = (step: Step) => Promise<AgentToolResult>;

const acting =
	(act: Act): Handler =>
	async (step) =>
		await acted(step, (tab) => act(tab, step.args, step.context));

const handlers: Readonly<Record<Action, Handler>> = {
	open,
	look,
	click: acting(click),
	type: acting(type),
	fill: acting(fill),
	select: acting(select),
	hover: acting(hover),
	drag: acting(drag),
	scroll: acting(scroll),
	press: acting(press),
	upload: acting(upload),
	download,
	dialog,
	wait,
	back: travel,
	forward: travel,
	reload: travel,
	tabs,
	close,
	evaluate,
	console: logs,
	network: logs,
	cookies,
	clear_cookies: cookies,
	screenshot,
	pdf,
	article,
};

/** What leaves a site as it is; in plan mode nothing else is done. */
const reading: ReadonlySet<Action> = new Set<Action>([
	"open",
	"look",
	"hover",
	"scroll",
	"wait",
	"back",
	"forward",
	"reload",
	"tabs",
	"close",
	"console",
	"network",
	"cookies",
	"screenshot",
	"pdf",
	"article",
]);

/** Never rejects but with the reason of the signal. */
export async function answer(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const { settings, services, signal } = context;
	if (!settings.get("browser.enabled"))
		return errorResult("The browser is disabled (setting browser.enabled).");
	if (services.provided(planMode)?.isOn && !reading.has(args.action))
		return errorResult(`In plan mode pages are read, and not changed: ${args.action} is not possible.`);
	const session = services.get(browserService, context);
	const page = services.get(currentPage, context);
	page.url = (tab) => session.urlOf(tab);
	page.isOutside = () => session.running !== undefined && session.running.started.contained !== "tau";
	try {
		const result = await handlers[args.action]({ args, context, session });
		return withNotes(result, session.takeNotes());
	} catch (error) {
		signal.throwIfAborted();
		const text = error instanceof Error ? error.message : String(error);
		return withNotes(errorResult(text), session.takeNotes());
	}
}

function withNotes(result: AgentToolResult, notes: readonly string[]): AgentToolResult {
	if (notes.length === 0) return result;
	const text = notes.map((note) => `[${note}]`).join("\n");
	return { ...result, content: [...result.content, { type: "text", text }] };
}
