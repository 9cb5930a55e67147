/** Writes a session as one self-contained HTML page. Text of models and tools is escaped, and never markup. */
import { oneLine, stripControls } from "@tau/utils";

import type { SessionTreeNode } from "@tau/log";
import { limits } from "./limits.ts";
import { markdownHtml } from "./markdown-html.ts";
import { spoken, type Part } from "./parts.ts";
import type { ExportSource, WholeOf } from "./source.ts";
import { walkTree } from "./walk.ts";

/** How an exported page looks, by day and by night. */
const style = `
:root { color-scheme: light dark; --back: #fff; --text: #1d1f23; --dim: #676e79; --line: #d9dce1; --box: #f5f6f8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
	:root { --back: #16181c; --text: #e3e5e8; --dim: #969da8; --line: #353940; --box: #1f2227; --bad: #ff8a80; }
}
body { margin: 2rem auto; max-width: 52rem; padding: 0 1rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 .3rem; font-size: .9rem; color: var(--dim); }
h2 time { font-weight: normal; }
article { margin: 1.2rem 0; }
article.user { padding: .6rem .9rem; background: var(--box); border-radius: .5rem; }
p.fact, p.event { margin: .2rem 0; color: var(--dim); font-size: .85rem; overflow-wrap: anywhere; }
div.text { white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .4rem 0; border-left: 3px solid var(--line); padding-left: .7rem; }
details.failed { border-color: var(--bad); }
details.branch { border-left-style: dashed; }
summary { cursor: pointer; color: var(--dim); overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .6rem; overflow-x: auto; background: var(--box); border-radius: .4rem; font-size: .85rem; }
img { max-width: 100%; }
div.markdown { overflow-wrap: anywhere; }
div.markdown > :first-child { margin-top: 0; }
blockquote { margin: .6rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--dim); }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .2rem .6rem; border: 1px solid var(--line); }
code { font-size: .9em; }
a { color: inherit; }
`;

/** If anything gets past the escaping, this policy stops it from running or loading anything. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function toHtml({ header, name, branch, tree, wholeOf }: ExportSource): string {
	const title = escape(
		oneLine(String(name ?? firstWords(branch) ?? `Session ${header.id}`), limits.titleChars),
	);
	const out = [
		`<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">`,
		`<meta http-equiv="Content-Security-Policy" content="${policy}">`,
		`<meta name="viewport" content="width=device-width">`,
		`<title>${title}</title>\n<style>${style}</style>\n</head>\n<body>`,
		`<h1>${title}</h1>`,
		...[`id: ${header.id}`, `created: ${header.timestamp}`, `directory: ${header.cwd}`].map(
			(fact) => `<p class="fact">${escape(oneLine(fact, limits.factChars))}</p>`,
		),
	];
	for (const step of walkTree(tree, new Set(branch.map(({ id }) => id)))) {
		if (step.kind === "entry") out.push(entryHtml(step.node, wholeOf));
		else if (step.kind === "close") out.push("</details>");
		else out.push(`<details class="branch"><summary>Another branch</summary>`);
	}
	return `${out.join("\n")}\n</body>\n</html>\n`;
}

/** The heading of a session without a name. */
function firstWords(branch: ExportSource["branch"]): string | undefined {
	for (const entry of branch) {
		const { who, parts } = spoken(entry);
		const text = who === "User" ? parts.map((part) => (part.kind === "text" ? part.text : "")).join(" ") : "";
		if (text.trim() !== "") return text;
	}
	return undefined;
}

function entryHtml({ entry, label }: SessionTreeNode, wholeOf: WholeOf): string {
	const { who, isMessage, parts } = spoken(entry, wholeOf);
	const mark = label === undefined ? "" : ` · ${escape(oneLine(String(label), limits.titleChars))}`;
	if (!isMessage) {
		const text = parts.map((part) => ("text" in part ? part.text : "")).join(" ");
		return `<p class="event">${escape(text === "" ? who : `${who}: ${text}`)}${mark}</p>`;
	}
	const time = `<time>${escape(oneLine(String(entry.timestamp), limits.titleChars))}</time>`;
	const head = `<h2>${escape(who)} ${time}${mark}</h2>`;
	return [
		`<article${who === "User" ? ` class="user"` : ""}>`,
		head,
		...parts.map((part) => partHtml(part, who)),
		"</article>",
	].join("\n");
}

function partHtml(part: Part, who: string): string {
	switch (part.kind) {
		case "text":
			if (who === "Assistant") return `<div class="markdown">${markdownHtml(part.text)}</div>`;
			return `<div class="text">${escape(part.text.trim())}</div>`;
		case "thinking":
			return folded("Thinking", "thinking", `<div class="text">${escape(part.text.trim())}</div>`);
		case "call":
			return folded(titled(`Call: ${part.name}`, part.text), "call", `<pre>${escape(part.text)}</pre>`);
		case "result": {
			const title = titled(`${part.isError ? "Failed" : "Result"}: ${part.name}`, part.text);
			return folded(title, part.isError ? "failed" : "result", `<pre>${escape(part.text)}</pre>`);
		}
		case "image":
			return imageHtml(part.mimeType, part.data);
	}
}

/** The summary shows the beginning of the folded text, so that a reader knows which one to open. */
function titled(what: string, text: string): string {
	return `${what} · ${oneLine(text, limits.hintChars)}`;
}

function folded(title: string, kind: string, body: string): string {
	return `<details class="${kind}"><summary>${escape(title)}</summary>${body}</details>`;
}

/** Only image types that cannot contain a script are allowed, and only as base64. */
function imageHtml(mimeType: string, data: string): string {
	if (!/^image\/(png|jpeg|gif|webp)$/.test(mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
		return `<p class="event">Image that cannot be shown: ${escape(mimeType)}</p>`;
	}
	return `<img alt="" src="data:${mimeType};base64,${data}">`;
}

const named: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

function escape(text: string): string {
	return stripControls(text).replaceAll(/[&<>"']/g, (character) => named[character] ?? "");
}
