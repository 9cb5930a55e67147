/** Fifty ways to get code, addresses or elements of one's own into the page, in every place that shows foreign text. */
import { expect } from "bun:test";

import { answer, call, factsOf, MockSession, result, text } from "@tau/web/testing";

import { needs } from "../support/needs.ts";
import { untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium } = await playedPage();

const run = "globalThis.hacked=1";
const away = "https://evil.example";
const drawing = btoa(`<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"/>`);

const pieces: readonly string[] = [
	// Code
	`<img src=x onerror="${run}">`,
	`<svg onload="${run}"><script>${run}</script></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
	`<details open ontoggle="${run}"><summary>x</summary></details>`,
	`<noscript><p title="</noscript><img src=x onerror=${run}>">`,
	`<template><img src=x onerror="${run}"></template>`,
	`<xmp><img src=x onerror="${run}"></xmp>`,
	`<![CDATA[<img src=x onerror="${run}">]]>`,
	`<!--><img src=x onerror="${run}">-->`,
	`<b title='"><img src=x onerror=${run}>'>t</b>`,
	`| a | b |\n| - | - |\n| <img src=x onerror="${run}"> | [x](javascript:${run}) |`,
	`1. <img src=x onerror="${run}">\n   - [ ] <script>${run}</script>`,
	`<iframe srcdoc="<script>parent.${run}</script>"></iframe><object data="javascript:${run}"></object>`,
	`<form action="${away}/1"><input autofocus onfocus="${run}"><button formaction="javascript:${run}">Send</button></form>`,
	// Addresses that are code
	`[x](javascript:${run})`,
	`[x](&#106;avascript:${run})`,
	`[x](java\tscript:${run})`,
	`<a href="jav&#x0A;ascript:${run}">x</a>`,
	`<a href="\u0001javascript:${run}">x</a>`,
	`[x](data:text/html,<script>${run}</script>)`,
	`[x](vbscript:${run})`,
	`<javascript:${run}>`,
	`[ref]\n\n[ref]: javascript:${run} "x"`,
	`![x](data:image/svg+xml;base64,${drawing})`,
	// What tells another server that it was read
	`![x](${away}/2.png "t")`,
	"![x](//evil.example/3.png)",
	"![x](/api/sessions)",
	`<img src="${away}/4" srcset="${away}/5 2x">`,
	`<picture><source srcset="${away}/6"><img src="data:image/png;base64,AA"></picture>`,
	`<video poster="${away}/7" src="${away}/8" autoplay></video><audio src="${away}/9" autoplay></audio>`,
	`<link rel="stylesheet" href="${away}/10"><link rel="dns-prefetch" href="${away}"><base href="${away}/">`,
	`<meta http-equiv="refresh" content="0;url=${away}/11">`,
	`<div style="background:url(${away}/12);position:fixed;inset:0">x</div>`,
	`<style>@import "${away}/13"; * { display: none }</style>`,
	`<embed src="${away}/14"><input type="image" src="${away}/15">`,
	`<a href="https://ok.example" target="_self" ping="${away}/16" download>z</a>`,
	// What looks like a part of the page, or takes its names
	`<button data-action="open-artifact" data-source="${away}/17" class="choice allow">Allow once</button>`,
	`<label for="composer">x</label><a id="page" name="composer" href="#/s/other">x</a><img name="getElementById">`,
	`<a href="https://a.example" style="position:fixed;inset:0;z-index:99">cover</a>`,
	'<p align="center" class="toasts" id="composer">p</p>',
	"<https://user:pass@evil.example/>",
	"```html\n<script>globalThis.hacked=1</script>\n```",
	"```\u202e<img>\n<script>x</script>\n```",
	// What terminals understand
	`\u001b]8;;javascript:${run}\u0007link\u001b]8;;\u0007`,
	"\u001b[38;2;1;2;999mx\u001b[38;5;9999my\u001b[1000000A\u001b[2J\u001bP1;2|x\u001b\\ \u009b31m \u0000\b\r",
];

/** In the page: what should not be there. */
const foreign = `(() => {
	const tags = new Set("a b blockquote br code del details em h1 h2 h3 h4 h5 h6 hr i img input kbd li ol p pre s strong sub summary sup table tbody td th thead tr ul div figure figcaption span button".split(" "));
	const problems = [];
	for (const element of document.querySelectorAll(".markdown *")) {
		if (!tags.has(element.localName)) problems.push("element " + element.localName);
		for (const { name } of element.attributes)
			if (/^on|^(?:style|id|name|srcset|formaction|for|ping|download)$/.test(name)) problems.push(element.localName + " with " + name);
	}
	for (const link of document.querySelectorAll(".transcript a"))
		if (!/^(?:https?|mailto):/.test(link.href) || link.target !== "_blank" || !link.rel.includes("noopener")) problems.push("link " + link.href);
	for (const image of document.querySelectorAll(".transcript img"))
		if (!/^data:image\\/(?:png|jpeg|gif|webp)/.test(image.getAttribute("src"))) problems.push("image " + image.src);
	for (const own of ["#composer", "#page", ".composer"])
		if (document.querySelectorAll(own).length !== 1) problems.push("another " + own);
	if (document.querySelector(".choice")) problems.push("a false question");
	return problems;
})()`;

test("as answers, plans, names of tools, arguments, output, patches and paths: text, and nothing else", async () => {
	const session = new MockSession(factsOf("hostile", `Title ${pieces[0]}`));
	session.handlers.list_commands = () => ({ commands: [] });
	session.message(answer([text(pieces.join("\n\n---\n\n"))]));
	for (const [at, piece] of pieces.entries()) {
		session.message(answer([call(`c${at}`, `tool${piece}`, { path: piece, note: piece, steps: [piece] })]));
		const details = [
			{ plan: piece },
			{ patch: `--- ${piece}\n+++ ${piece}\n@@ -1 +1 @@\n-${piece}\n+${piece}` },
			{ files: [{ path: piece }] },
		][at % 3];
		session.message(result(`c${at}`, `tool${piece}`, piece, details));
	}
	session.message(answer([text("The end.")]));
	host.sessions.set("hostile", session);
	const requested: string[] = [];
	const page = await chromium.open("about:blank");
	page.on("request", (request) => requested.push(request.url()));
	await page.goto(`${host.url}#/s/hostile`);
	await untilText(page, "The end.");
	const problems = new Set<string>();
	// Every call is opened on the way to the start.
	let rows = 0;
	for (let isAtStart = false; !isAtStart; rows++) {
		await page.evaluate(
			'for (const line of document.querySelectorAll(".call .line[aria-expanded=false]")) line.click()',
		);
		for (const problem of (await page.evaluate(foreign)) as string[]) problems.add(problem);
		isAtStart = (await page.evaluate(`(async () => {
			const list = document.querySelector(".transcript");
			const isAtStart = list.scrollTop <= 0;
			list.scrollTop -= 500;
			await new Promise(requestAnimationFrame);
			return isAtStart;
		})()`)) as boolean;
	}
	expect([...problems]).toEqual([]);
	expect(rows).toBeGreaterThan(5);
	expect(await page.evaluate("globalThis.hacked")).toBeUndefined();
	const others = requested.filter((url) => !url.startsWith(host.url) && !url.startsWith("data:"));
	expect(others.filter((url) => url !== "about:blank")).toEqual([]);
	expect(page.url()).toBe(`${host.url}#/s/hostile`);
	expect(await page.title()).toBe(`Title ${pieces[0]} · Tau`);
});
