/** Uses web pages in a browser: opens them, reads them as lists of controls, and acts on them. */
import type { Touch } from "@tau/agent";

import { defineTool, type TouchContext, fileTouch } from "@tau/tools/tool";
import { currentPage } from "./current-page.ts";
import { parameters, type Action, type Arguments } from "./parameters.ts";
import schema from "./parameters.json";
import prompt from "./prompt.md" with { type: "text" };

export const browser = defineTool({
	name: "browser",
	label: "Browser",
	prompt,
	concurrency: "exclusive",
	approval: "exec",
	searchHint: "open, click, type, screenshot",
	schema,
	parameters,
	touches: browserTouches,
	// What a call sends to a site is judged by the site; a file that it writes by the file.
	approvalFor: ({ action, path }) =>
		action === undefined || action === "evaluate" ? "exec" : path === undefined ? "read" : "write",
	async execute(args, context) {
		const { answer } = await import("./actions/answer.ts");
		return await answer(args, context);
	},
	view: {
		call: ({ action, ref, to, url, text, key, code, view, path }) => {
			const words = [ref, to, url, key, view, text ?? code, path];
			return ["browser", action ?? "…", ...words.filter((word) => word !== undefined)].join(" ");
		},
	},
});

/** Actions that may send something to the site that is open. */
const sending: ReadonlySet<Action> = new Set<Action>([
	"click",
	"type",
	"fill",
	"select",
	"drag",
	"press",
	"upload",
	"dialog",
	"back",
	"forward",
	"reload",
]);

function browserTouches(args: Partial<Arguments>, context: TouchContext): Touch[] {
	const { action, url, tab, code, paths = [], path } = args;
	if (action === undefined) return [];
	const here = context.services?.peek(currentPage)?.url(tab);
	const opened = action === "open" || action === "download" ? url : undefined;
	const isHere = sending.has(action) || (action === "download" && url === undefined);
	const site = opened ?? (isHere && here !== undefined && /^https?:/.test(here) ? here : undefined);
	return [
		...(site === undefined ? [] : [{ kind: "fetch" as const, url: site, ...ownServer(site, context) }]),
		...(action === "evaluate" && code !== undefined
			? [{ kind: "exec" as const, command: code, cwd: context.cwd, language: "JavaScript for the open page" }]
			: []),
		...(action === "upload" ? paths.flatMap((each) => fileTouch("read", each, context)) : []),
		...fileTouch("write", path, context),
	];
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** A server that a command has started in the sandbox, where the browser runs too, needs no question. */
function ownServer(url: string, { sandbox, services }: TouchContext): { isOwn?: true } {
	const { hostname = "", port = "", protocol } = URL.parse(url) ?? {};
	const number = Number(port || (protocol === "https:" ? 443 : 80));
	const isOutside = services?.peek(currentPage)?.isOutside?.() ?? false;
	if (isOutside || !loopback.test(hostname)) return {};
	return sandbox?.isOwnPort(number) === true ? { isOwn: true } : {};
}
