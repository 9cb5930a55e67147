/** Reads a page: its views, its article, its logs, its cookies, and the value of an expression. */
import type { AgentToolResult } from "@tau/agent";
import { htmlToMarkdown } from "@tau/sys";
import { oneLine, stripControls } from "@tau/utils";
import type { Frame, Protocol } from "puppeteer-core/internal/puppeteer-core-browser.js";

import { limits } from "../limits.ts";
import { findNode, outlineLines, regionLines, textLines } from "../look/texts.ts";
import { inFrame } from "../page/in-page.ts";
import type { Tab } from "../page/tab.ts";
import { textResult } from "@tau/tools/tool";
import { needed } from "./act.ts";
import { elementOf } from "./element.ts";
import { boundedText, secondsOf, settled, type Step } from "./step.ts";

export async function look({ session, args, context }: Step): Promise<AgentToolResult> {
	const tab = await session.tab(args.tab, context.signal);
	const view = args.view ?? (args.ref === undefined ? "controls" : "region");
	if (tab.dialog || view === "controls") {
		const isWhole = args.full === true || args.text !== undefined;
		return textResult(isWhole ? await tab.describe(args.text) : await tab.describeAgain());
	}
	const tree = await tab.tree();
	const header = await tab.header();
	if (view === "text") return boundedText(header, textLines(tree.roots).join("\n"), context);
	if (view === "outline") return boundedText(header, outlineLines(tree.roots, tab.refs).join("\n"), context);
	const ref = needed(args.ref, "ref");
	const { frame, backendNodeId } = tab.refs.target(ref);
	const node = findNode(tree.roots, (each) => each.frame === frame && each.backendNodeId === backendNodeId);
	if (!node) throw new Error(`Element ${ref} is gone, or hidden. Look again.`);
	return boundedText(header, regionLines(node, tab.refs).join("\n"), context);
}

/** The main text, as `read` shows it of an address. */
export async function article({ session, args, context }: Step): Promise<AgentToolResult> {
	const tab = await session.tab(args.tab, context.signal);
	const html = await tab.within(inFrame(tab.page.mainFrame(), "source", limits.sourceChars));
	const url = tab.page.url();
	const { markdown } = await htmlToMarkdown(html, { url, readability: true }, context.signal);
	return boundedText(await tab.header(), stripControls(markdown), context);
}

export async function logs({ session, args, context }: Step): Promise<AgentToolResult> {
	const tab = await session.tab(args.tab, context.signal);
	const { activity } = tab.loading;
	const isConsole = args.action === "console";
	const lines = isConsole ? activity.messages(args.text) : activity.requests(args.text);
	const nothing = isConsole ? "The console is empty." : "No requests.";
	return boundedText(await tab.header(), lines.length === 0 ? nothing : lines.join("\n"), context);
}

/** Without their values, which are as good as passwords. */
export async function cookies({ session, args, context }: Step): Promise<AgentToolResult> {
	const running = await session.start(context.signal);
	if (args.action === "clear_cookies") {
		await session.clearData(running);
		return textResult("Deleted the cookies and the local storage of this project.");
	}
	const { cookies: all } = await running.session.send("Storage.getCookies");
	const lines = all.map((cookie) => {
		const until = cookie.expires < 0 ? "session" : new Date(cookie.expires * 1000).toISOString().slice(0, 10);
		const flags = [cookie.httpOnly ? "httpOnly" : "", cookie.secure ? "secure" : ""].filter(Boolean);
		return oneLine([cookie.domain, cookie.name, until, ...flags].join(" "), limits.valueChars * 2);
	});
	const wanted = lines.filter((line) => line.includes(args.text ?? ""));
	return boundedText("", wanted.length === 0 ? "No cookies." : wanted.join("\n"), context);
}

/** In the page's own world, as its console would; a script that does not end is stopped. */
export async function evaluate(step: Step): Promise<AgentToolResult> {
	const { session, args, context } = step;
	const tab = await session.tab(args.tab, context.signal);
	const code = needed(args.code, "code");
	const frame = args.ref === undefined ? tab.page.mainFrame() : tab.refs.target(args.ref).frame;
	const since = performance.now();
	let value: string | undefined;
	const ms = secondsOf(args, limits.answerMs / 1000) * 1000;
	try {
		await tab.act(
			run(tab, frame, code, args.ref).then((text) => void (value = text)),
			context.signal,
			ms,
		);
	} catch (error) {
		const isOver = error instanceof DOMException;
		if (isOver) await frame.client.send("Runtime.terminateExecution").catch(() => {});
		throw isOver ? new Error("The code did not end in time and was stopped.", { cause: error }) : error;
	}
	const changed = await settled(step, tab, since);
	const change = changed.content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
	return boundedText("", `${value ?? "undefined"}\n\n${change}`, context);
}

async function run(tab: Tab, frame: Frame, code: string, ref: number | undefined): Promise<string> {
	const { client } = frame;
	const options = { awaitPromise: true, returnByValue: true, userGesture: true } as const;
	if (ref === undefined) {
		const { result, exceptionDetails } = await client.send("Runtime.evaluate", {
			expression: code,
			replMode: true,
			...options,
		});
		return described(result, exceptionDetails);
	}
	await elementOf(tab, ref);
	const { backendNodeId } = tab.refs.target(ref);
	const { object } = await client.send("DOM.resolveNode", { backendNodeId });
	const { result, exceptionDetails } = await client.send("Runtime.callFunctionOn", {
		functionDeclaration: `function () { const element = this; return eval(${JSON.stringify(code)}); }`,
		objectId: needed(object.objectId, "ref"),
		...options,
	});
	return described(result, exceptionDetails);
}

function described(
	{ type, value, unserializableValue, description }: Protocol.Runtime.RemoteObject,
	failure: Protocol.Runtime.ExceptionDetails | undefined,
): string {
	if (failure) {
		const text = failure.exception?.description ?? failure.text;
		throw new Error(stripControls(text.slice(0, limits.resultBytes)));
	}
	if (type === "undefined") return "undefined";
	if (value === undefined) return stripControls(unserializableValue ?? description ?? type);
	const text = typeof value === "string" ? value : (JSON.stringify(value, null, 1) ?? String(value));
	return stripControls(text.slice(0, limits.sourceChars));
}
