import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { samples } from "../../../../test/support/depth.ts";
import { limits } from "../limits.ts";
import { convert } from "./convert.ts";

async function markdown(html: string, options: Parameters<typeof convert>[1] = {}): Promise<string> {
	return (await convert(html, options)).markdown;
}

const article = `<p>${"A sentence that belongs to the article, with enough words, and commas, to look like one. ".repeat(6)}</p>`;

describe("the content for a reader is kept", () => {
	test("headings, emphasis, lists, quotes and images", async () => {
		const html =
			"<h1>One</h1><h3>Two</h3><p>a <b>b</b> <em>c</em> <code>d</code></p><ul><li>x<ul><li>y</li></ul></li></ul>" +
			'<ol><li>first</li></ol><blockquote>said</blockquote><img src="https://a.b/i.png" alt="A picture">';
		expect(await markdown(html)).toBe(
			"# One\n\n### Two\n\na **b** _c_ `d`\n\n- x\n  - y\n1. first\n\n> said\n\n![A picture](https://a.b/i.png)",
		);
	});

	test("tables, also without closing tags", async () => {
		const expected = "| A | B\\|c |\n| - | ---- |\n| 1 | 2 3  |\n| 4 | 5    |";
		const closed =
			"<table><tr><th>A</th><th>B|c</th></tr><tr><td>1</td><td>2<br>3</td></tr><tr><td>4</td><td>5</td></tr></table>";
		const open = "<table><tr><th>A<th>B|c<tr><td>1<td>2<br>3<tr><td>4<td>5</table>";
		expect(await markdown(closed)).toBe(expected);
		expect(await markdown(open)).toBe(expected);
	});

	test.each([
		['<pre><code class="language-ts">let a = 1;</code></pre>', "ts"],
		['<pre class="lang-rust"><code>let a = 1;</code></pre>', "rust"],
		['<div class="highlight highlight-source-python"><pre>let a = 1;</pre></div>', "python"],
		['<pre class="sourceCode haskell">let a = 1;</pre>', "haskell"],
		["<pre>let a = 1;</pre>", ""],
		['<pre class="language-x&quot;y"><span>let</span> <i>a</i> = 1;</pre>', "x"],
	])("the language of %s", async (html, language) => {
		expect(await markdown(html)).toBe(`\`\`\`${language}\nlet a = 1;\n\`\`\``);
	});

	test("the language around one block does not apply to the next", async () => {
		const html = '<div class="highlight-source-python"><pre>a</pre></div><pre>b</pre>';
		expect(await markdown(html)).toBe("```python\na\n```\n\n```\nb\n```");
	});

	test("code is not read as Markdown or tags", async () => {
		expect(await markdown("<pre>if (a &lt; b &amp;&amp; c) { *x* }\n\n  y</pre>")).toBe(
			"```\nif (a < b && c) { *x* }\n\n  y\n```",
		);
	});

	test("the title, with its entities decoded", async () => {
		const result = await convert("<head><title>\n Fish &amp; *Chips* </title></head><p>x</p>");
		expect(result).toEqual({ title: "Fish & *Chips*", markdown: "x", isArticle: false, truncated: false });
	});
});

describe("links", () => {
	test("are resolved against the page's URL and its base", async () => {
		const html =
			'<a href="../x?a=1&amp;b=2">l</a> <a href="//c.d/">m</a> <a href="#f">n</a> <img src="i.png" alt="i">';
		expect(await markdown(html, { url: "https://a.b/dir/page" })).toBe(
			"[l](https://a.b/x?a=1&b=2) [m](https://c.d/) [n](https://a.b/dir/page#f) ![i](https://a.b/dir/i.png)",
		);
		const based = '<base href="/docs/"><a href="x">l</a>';
		expect(await markdown(based, { url: "https://a.b/" })).toBe("[l](https://a.b/docs/x)");
	});

	test("are decoded, and do not become fragments by accident", async () => {
		const html = '<a href="x?a=1&amp;copy=2&amp;q=it&#39;s">l</a> <a href="&#106;avascript:x">m</a>';
		expect(await markdown(html, { url: "https://a.b/" })).toBe("[l](https://a.b/x?a=1&copy=2&q=it%27s) m");
	});

	test("stay unchanged if the page's URL is unknown", async () => {
		expect(await markdown('<a href="/x">l</a>')).toBe("[l](/x)");
	});

	test("that run code or carry data become text only", async () => {
		const html =
			'<a href="javascript:alert(1)">a</a> <a href=" java\tscript:x">b</a> <img src="data:image/png;base64,AA">';
		const result = await markdown(html, { url: "https://a.b/" });
		expect(result).toMatch(/^a b$/);
	});
});

describe("content that is not for readers is removed", () => {
	test("scripts, styles, comments, drawings, and their fallbacks", async () => {
		const html =
			"<style>p{}</style><script>evil('<p>no</p>')</script><noscript>js!</noscript><!-- c --><svg><title>no</title></svg><template>t</template><p>yes</p>";
		expect(await markdown(html)).toBe("yes");
	});

	test("navigation and forms only on request", async () => {
		const html =
			"<nav>menu</nav><p>text</p><form><button>go</button></form><div hidden>h</div><footer>f</footer>";
		expect(await markdown(html, { cleanContent: true })).toBe("text");
		expect(await markdown(html)).toContain("menu");
	});

	test("images on request", async () => {
		expect(await markdown('<p>a<img src="https://a.b/i.png"></p>', { skipImages: true })).toBe("a");
	});
});

describe("the article of a page", () => {
	const page = `<html><head><title>News</title></head><body><div class="menu"><a href="/1">one</a><a href="/2">two</a></div>
		<article><h1>Story</h1>${article}<pre><code class="language-go">x := 1</code></pre>${article}</article>
		<div class="sidebar"><ul><li><a href="/3">three</a></li></ul></div></body></html>`;

	test("is extracted, with its code and without its surroundings", async () => {
		const result = await convert(page, { readability: true, url: "https://a.b/" });
		expect(result).toMatchObject({ isArticle: true, title: "News" });
		expect(result.markdown).toContain("belongs to the article");
		expect(result.markdown).toContain("```go\nx := 1\n```");
		expect(result.markdown).not.toContain("three");
	});

	test("keeps headings, tables and code whose names sound like surroundings", async () => {
		const body = `<h3 class="code-header">fn new()</h3>${article}<table class="share"><tr class="footer"><td id="sidebar">cell</td><td>two</td></tr></table><pre class="comment language-rs">let a;</pre>${article}`;
		const { markdown: text, isArticle } = await convert(`<body><div id="main">${body}</div></body>`, {
			readability: true,
		});
		expect(isArticle).toBe(true);
		expect(text).toContain("### fn new()");
		expect(text).toContain("cell");
		expect(text).toContain("```rs\nlet a;\n```");
	});

	test("is found inside of one form around the page, without the fields of the form", async () => {
		const form = `<form method=post><input name=q><label>Search</label><button>Go</button><article><h1>Story</h1>${article}${article}</article></form>`;
		const { markdown: text } = await convert(`<body>${form}</body>`, { readability: true });
		expect(text).toContain("belongs to the article");
		expect(text).not.toMatch(/Search|Go/);
		const login = `<body><article>${article}</article><form><p>Log in to your account</p><input></form></body>`;
		expect((await convert(login, { readability: true })).markdown).not.toContain("Log in");
	});

	test("is shown although the page marks all of it as hidden", async () => {
		const hidden = `<body><div aria-hidden="true">${article}</div></body>`;
		expect(await markdown(hidden, { readability: true })).toContain("belongs to the article");
	});

	test("has no padding in wide tables, and keeps code as it is", async () => {
		const wide = `<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>${"long ".repeat(40)}</td></tr></table><pre>| a      ${" ".repeat(200)}|</pre>`;
		const text = await markdown(wide);
		expect(text).toContain("| A | B |\n| - | --- |");
		expect(text).toContain(`| a      ${" ".repeat(200)}|`);
	});

	test("is the whole page if there is no article", async () => {
		const result = await convert("", { readability: true });
		expect(result).toMatchObject({ isArticle: false, markdown: "" });
	});

	test("is not extracted from a page with too many elements", async () => {
		const many = "<p>part</p>".repeat(limits.htmlArticleElements);
		const result = await convert(many, { readability: true });
		expect(result.isArticle).toBe(false);
		expect(result.markdown.startsWith("part\n\npart")).toBe(true);
	});
});

describe("every page gives a result", () => {
	test("a page that is too long is cut and marked", async () => {
		const result = await convert(`<p>${"word ".repeat(limits.htmlReadChars / 4)}</p>`);
		expect(result.truncated).toBe(true);
		expect(result.markdown.length).toBeLessThanOrEqual(limits.htmlReadChars);
		const scripted = `<script>${"x".repeat(limits.htmlReadChars)}</script><p>short</p>`;
		expect(await convert(scripted)).toMatchObject({ truncated: false, markdown: "short" });
	});

	test.each(["<div>", "<b>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<x-y>", "<dd>", "<pre>"])(
		"one that opens %s twenty thousand times",
		async (tag) => {
			const result = await markdown(`${tag.repeat(20_000)}end`);
			expect(result).toContain("end");
		},
	);

	test("broken markup", async () => {
		const part = fc.constantFrom(
			"<",
			">",
			"</",
			"<p",
			"<a href=",
			'"',
			"'",
			"&",
			"&#",
			"<td>",
			"</table>",
			"<pre>",
			"\0",
			"é",
			"<!--",
			"<![CDATA[",
			"</code>",
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.oneof(part, fc.string({ maxLength: 4 })), { maxLength: 30 }),
				async (parts) => {
					expect(typeof (await markdown(parts.join(""), { url: "https://a.b", cleanContent: true }))).toBe(
						"string",
					);
				},
			),
			{ numRuns: samples(200) },
		);
	});
});
