/** What the browser costs: tokens of a look beside agent-browser's, and the time of an action over the page's own. */
import { builtinTool, privateTargets } from "@tau/integrations/builtin";
import { browserService } from "@tau/integrations/browser";

import { callTool, testToolEnv, textOf } from "../test/support/tool-env.ts";
import { savedPages } from "./browser-pages.ts";
import { median } from "./program.ts";
import type { Row } from "./report.ts";

const rounds = 40;
const charsPerToken = 4;

export async function browsing(): Promise<Row[]> {
	if (Bun.which("chromium") === null && Bun.which("google-chrome") === null) return [];
	await using env = await testToolEnv();
	env.services.provide(privateTargets, async () => true);
	const tool = builtinTool("browser")?.bind(env);
	if (!tool) throw new Error("There is no tool browser.");
	using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request) =>
			new Response(savedPages[new URL(request.url).pathname.slice(1)]?.html ?? "", {
				headers: { "content-type": "text/html; charset=utf-8" },
			}),
	});
	const run = async (args: Record<string, unknown>): Promise<string> => textOf(await callTool(tool, args));
	const open = (name: string): Promise<string> =>
		run({ action: "open", url: `http://127.0.0.1:${server.port}/${name}` });

	const started = performance.now();
	await open("form");
	const first = performance.now() - started;
	const looks: { name: string; ratio: number; chars: number }[] = [];
	for (const [name, { others }] of Object.entries(savedPages)) {
		const chars = (await open(name)).length;
		looks.push({ name, chars, ratio: chars / others });
	}
	const all = Object.values(savedPages).reduce((sum, { others }) => sum + others, 0);
	const worst = looks.toSorted((a, b) => b.ratio - a.ratio)[0];

	await open("form");
	const ref = /(\d+) button Count/.exec(await run({ action: "look" }))?.[1];
	const page = env.services.get(browserService, env).currentTab?.page;
	if (!page) throw new Error("There is no page.");
	const took: number[] = [];
	const own: number[] = [];
	const diffs: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const at = performance.now();
		diffs.push((await run({ action: "click", ref: Number(ref) })).length);
		took.push(performance.now() - at);
		const bare = performance.now();
		await page.mouse.click(5, 5);
		await page.evaluate("document.title");
		own.push(performance.now() - bare);
	}
	return [
		{ name: "the first page, with the start of the browser", value: first, unit: "ms", budget: 3000 },
		{
			name: `first looks at ${looks.length} saved pages`,
			value: looks.reduce((sum, { chars }) => sum + chars, 0) / all,
			unit: "x of agent-browser's",
			budget: 0.5,
			beside: `${looks.map(({ name, chars, ratio }) => `${name} ${Math.round(chars / charsPerToken)} tokens, ${ratio.toFixed(2)}x`).join("; ")}; worst ${worst?.name}`,
		},
		{
			name: "what a click changed",
			value: median(diffs) / (savedPages.form?.others ?? 1),
			unit: "x of agent-browser's look",
			budget: 0.1,
		},
		{
			name: "a click with what it changed, over the page's own time",
			value: median(took) - median(own),
			unit: "ms",
			budget: 15,
			beside: `${median(own).toFixed(1)} ms for the click alone`,
		},
		{
			name: "the tool browser",
			value:
				JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.parameters })
					.length / charsPerToken,
			unit: "tokens",
			budget: 500,
		},
	];
}
