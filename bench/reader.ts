/** What it costs to read a web page: time, and tokens beside those of its article alone. */
import { htmlToMarkdown } from "@tau/sys";

import type { Row } from "./report.ts";

const rounds = 15;

interface Measured {
	name: string;
	ms: number;
	/** Characters beside those of the article. */
	ratio: number;
	/** Of the article's lines, in percent. */
	kept: number;
}

interface Page {
	name: string;
	html: string;
	/** What a reader came for. */
	article: string;
}

export async function readers(): Promise<Row[]> {
	const measured: Measured[] = [];
	for (const page of pages()) measured.push(await measure(page));
	const worst = (key: "ms" | "ratio"): Measured =>
		measured.toSorted((a, b) => b[key] - a[key])[0] ?? {
			name: "",
			ms: Number.NaN,
			ratio: Number.NaN,
			kept: Number.NaN,
		};
	const least = measured.toSorted((a, b) => a.kept - b.kept)[0];
	return [
		{
			name: "a page as Markdown, the slowest",
			value: worst("ms").ms,
			unit: "ms",
			budget: 20,
			beside: worst("ms").name,
		},
		{
			name: "tokens, of the article's",
			value: worst("ratio").ratio,
			unit: "x",
			budget: 1.2,
			beside: worst("ratio").name,
		},
		{
			name: "of the article's lines",
			value: least?.kept ?? Number.NaN,
			unit: "%",
			budget: 97,
			atLeast: true,
			beside: least?.name ?? "",
		},
	];
}

async function measure({ name, html, article }: Page): Promise<Measured> {
	const url = "https://example.org/a/page";
	const truth = (await htmlToMarkdown(article, { url })).markdown;
	const samples: number[] = [];
	let markdown = "";
	for (let round = 0; round < rounds; round++) {
		const start = performance.now();
		({ markdown } = await htmlToMarkdown(html, { url, readability: true }));
		samples.push(performance.now() - start);
	}
	const lines = truth.split("\n").filter((line) => line.trim() !== "");
	const kept = lines.filter((line) => markdown.includes(line)).length / lines.length;
	const ms = samples.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN;
	return { name, ms, ratio: markdown.length / truth.length, kept: kept * 100 };
}

/** Pages as they are on the web: some 60 KB around an article. */
function pages(): Page[] {
	const shapes: [name: string, article: string, around: (article: string) => string][] = [
		["news", prose(14), news],
		["documentation", `${prose(6)}${code(4)}${table(12)}${prose(4)}`, documentation],
		["blog", `${prose(8)}${code(2)}${prose(8)}`, blog],
		["encyclopedia", `${prose(10)}${table(20)}${prose(10)}`, encyclopedia],
	];
	return shapes.map(([name, article, around]) => ({ name, article, html: around(article) }));
}

const words =
	"the engine reads a frame and keeps its order while another thread writes, because a lock would cost more than it saves, as measurements of real programs show again and again".split(
		" ",
	);

function sentence(seed: number): string {
	const many = 12 + (seed % 9);
	const text = Array.from(
		{ length: many },
		(_, at) => words[(seed * 7 + at * (1 + (seed % 3))) % words.length],
	).join(" ");
	return `${text[0]?.toUpperCase()}${text.slice(1)} (${seed}).`;
}

function prose(many: number): string {
	return Array.from({ length: many }, (_, at) => {
		const link = `<a href="/topic/${at}">topic ${at}</a>`;
		const text = Array.from({ length: 5 }, (_unused, part) => sentence(at * 11 + part + many * 101)).join(
			" ",
		);
		return `${at % 4 === 0 ? `<h2>Part ${at + many * 10}</h2>` : ""}<p>${text} See ${link}, and <em>more</em>.</p>`;
	}).join("\n");
}

function code(many: number): string {
	return Array.from(
		{ length: many },
		(_, at) =>
			`<pre><code class="language-ts">const value${at} = read(${at});\nif (value${at} &lt; 3) stop();</code></pre>`,
	).join("\n");
}

function table(rows: number): string {
	const body = Array.from(
		{ length: rows },
		(_, at) => `<tr><td>option${at}</td><td>number</td><td>${sentence(at + 900)}</td></tr>`,
	).join("");
	return `<table class="options"><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${body}</tbody></table>`;
}

function links(many: number, label: string): string {
	return `<ul class="${label}-list">${Array.from({ length: many }, (_, at) => `<li><a href="/${label}/${at}" data-id="${at}">${label} number ${at}</a></li>`).join("")}</ul>`;
}

const script = `<script>window.__STATE__=${JSON.stringify(Array.from({ length: 300 }, (_, at) => ({ id: at, text: words.join(" ").slice(0, 60) })))}</script><style>.a{color:red}</style>`;

function whole(title: string, body: string): string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${script}</head><body>${body}</body></html>`;
}

function news(article: string): string {
	return whole(
		"News",
		`<div class="cookie-banner" role="dialog">We use cookies. <button>Accept</button></div><header class="site-header"><nav>${links(40, "section")}</nav></header>
		<div class="ad-slot">Advertisement</div><main><article class="story"><div class="share-bar">${links(6, "share")}</div>${article}<div class="newsletter"><form><label>Get our newsletter</label><input><button>Go</button></form></div></article>
		<div class="related">${links(30, "related")}</div><section class="comments"><h2>Comments</h2>${Array.from({ length: 20 }, (_, at) => `<div class="comment">User ${at}: I agree.</div>`).join("")}</section></main><footer>${links(60, "footer")}</footer>`,
	);
}

function documentation(article: string): string {
	return whole(
		"Documentation",
		`<div class="navbar">${links(12, "product")}</div><div class="layout"><aside class="sidebar">${links(180, "chapter")}</aside><main class="content"><nav class="breadcrumbs">${links(4, "crumb")}</nav><div class="markdown">${article}</div><div class="pagination-nav">${links(2, "pager")}</div></main><div class="toc">${links(25, "toc")}</div></div><footer>${links(30, "footer")}</footer>`,
	);
}

function blog(article: string): string {
	return whole(
		"Blog",
		`<div id="header"><a href="/">A blog</a></div><div id="wrapper"><div id="content"><div class="post"><div class="entry-content">${article}</div><div class="post-meta">Posted by Ada in ${links(5, "tag")}</div></div></div><div id="sidebar-right"><h3>Archives</h3>${links(90, "archive")}</div></div><div id="footer">Powered by words</div>`,
	);
}

function encyclopedia(article: string): string {
	return whole(
		"Encyclopedia",
		`<div id="mw-navigation">${links(60, "tool")}</div><div id="content" class="mw-body"><div id="bodyContent"><div class="mw-parser-output">${article}</div><div class="catlinks">${links(12, "category")}</div></div></div><div class="navbox" role="navigation">${links(120, "navbox")}</div>`,
	);
}
