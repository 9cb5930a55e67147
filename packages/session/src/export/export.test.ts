/** Exports contain the conversation, and its text cannot become markup. */
import fc from "fast-check";
import { describe, expect, test } from "bun:test";

import { SessionManager } from "@tau/log";
import { answered, said } from "@tau/log/testing";
import { toHtml } from "./html.ts";
import { toJson } from "./export-session.ts";
import { toMarkdown } from "./markdown.ts";
import { toNotebook } from "./notebook.ts";
import { exportSource, type ExportSource } from "./source.ts";
import { walkTree } from "./walk.ts";

/** A question, two answers to it of which the second is in use, thinking, a call and its result. */
function talk(text = "hello"): ExportSource {
	using session = SessionManager.inMemory("/work");
	const first = session.appendMessage(said(text));
	session.appendMessage(answered("the answer that was left"));
	session.branch(first);
	session.appendMessage(
		answered("", {
			content: [
				{ type: "thinking", thinking: `thinking of ${text}` },
				{ type: "toolCall", id: "1", name: "bash", arguments: { command: text } },
			],
		}),
	);
	session.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "bash",
		content: [{ type: "text", text }],
		isError: true,
		timestamp: 3,
	});
	session.appendSessionInfo(text);
	return exportSource(session);
}

/** The elements that the page actually has. */
function elements(html: string): Set<string> {
	const found = new Set<string>();
	new HTMLRewriter()
		.on("*", {
			element({ tagName, attributes }) {
				found.add([tagName, ...[...attributes].map(([name]) => name)].join(" "));
			},
		})
		.transform(html);
	return found;
}

describe("a page", () => {
	test("property: any content stays text", () => {
		const plain = elements(toHtml(talk()));
		const markup = fc.constantFrom(
			"<script>alert(1)</script>",
			"</pre></details><img src=x onerror=alert(1)>",
			`"'><svg onload=1>`,
			"]]><!--",
			"</title></style>",
		);
		fc.assert(
			fc.property(fc.array(fc.oneof(markup, fc.string({ unit: "binary" }))), (pieces) => {
				const html = toHtml(talk(`x${pieces.join("")}`));
				expect(elements(html)).toEqual(plain);
			}),
			{ numRuns: 50 },
		);
	});

	test("answers are rendered as Markdown", () => {
		using session = SessionManager.inMemory("/work");
		const text = [
			"# Title\n\nSome **bold** [link](https://example.com/?a=1&b=2), <b>no markup</b>, ![pic](https://x.test/p.png).",
			"```ts\nconst a = 1 < 2;\n```\n\n- [x] done\n\n| a |\n|:-:|\n| 1 |",
		];
		session.appendMessage(answered(text.join("\n\n")));
		const html = toHtml(exportSource(session));
		for (const piece of [
			"<h3>Title</h3>",
			"<strong>bold</strong>",
			`<a href="https://example.com/?a=1&amp;b=2">link</a>`,
			"&lt;b&gt;no markup&lt;/b&gt;",
			"[pic](https://x.test/p.png)",
			"<pre><code>const a = 1 &lt; 2;\n</code></pre>",
			`<input type="checkbox" disabled checked>`,
			`<th align="center">a</th>`,
		])
			expect(html).toContain(piece);
		expect(html).not.toContain("<img");
	});

	test("property: no answer has elements, attributes or addresses that load or run something", () => {
		const piece = fc.oneof(
			fc.string({ unit: "binary" }),
			fc.constantFrom(
				"<script>x</script>",
				"<img src=x onerror=1>",
				"[a](javascript:alert(1))",
				"![a](data:text/html,x)",
				"<a href=javascript:x>",
				'![a"onerror="x](y "z")',
				"[a]( <java&#115;cript:1>)",
				"<svg/onload=1>",

				"```x onload=1\n",
				"| a |\n|-|\n",
				"\n\n",
				"# ",
				"- [ ] ",
				"> ",
				"`",
				"</div></article>",
				"&lt;b&gt;",
			),
		);
		const plain = elements(toHtml(talk()));
		const harmless =
			/^(?:p|h[3-6]|blockquote|ul|ol(?: start)?|li|pre|code|em|strong|del|hr|br|a(?: href)?|table|thead|tbody|tr|t[hd](?: align)?|input type disabled(?: checked)?)$/;
		fc.assert(
			fc.property(fc.array(piece), (pieces) => {
				using session = SessionManager.inMemory("/work");
				session.appendMessage(answered(pieces.join("")));
				const html = toHtml(exportSource(session));
				const body = html.slice(html.indexOf("<body>"));
				const added = [...elements(body)].filter((element) => !plain.has(element));
				expect(added.filter((element) => !harmless.test(element))).toEqual([]);
				for (const [, address] of body.matchAll(/ href="([^"]*)"/g))
					expect(address).toMatch(/^(?:https?|mailto):/i);
			}),
			{ numRuns: 200 },
		);
	});

	test("a session without a name has its first prompt as title, and folded parts have a label", () => {
		using session = SessionManager.inMemory("/work");
		session.appendMessage(said("fix the cart"));
		const command = { command: "npm test" };
		session.appendMessage(
			answered("", { content: [{ type: "toolCall", id: "1", name: "bash", arguments: command }] }),
		);
		const html = toHtml(exportSource(session));
		expect(html).toContain("<h1>fix the cart</h1>");
		expect(html).toMatch(/<summary>Call: bash · .*npm test.*<\/summary>/);
	});

	test("the abandoned branch is folded, before the current one", () => {
		const html = toHtml(talk());
		const [before = "", after = ""] = html.split("the answer that was left");
		expect(before).toEndWith(`<div class="markdown"><p>`);
		expect(before).toContain(`<details class="branch">`);
		expect(after).toContain("thinking of hello");
		expect(html.match(/<details/g)).toHaveLength(4);
		expect(html.match(/<\/details>/g)).toHaveLength(4);
	});

	test("nothing is loaded, and only images that cannot run scripts are shown", () => {
		using session = SessionManager.inMemory("/work");
		session.appendMessage({
			role: "user",
			content: [
				{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
				{ type: "image", mimeType: "image/svg+xml", data: "PHN2Zz4=" },
				{ type: "image", mimeType: "image/png", data: `" onerror="alert(1)` },
			],
			timestamp: 1,
		});
		const html = toHtml(exportSource(session));
		expect(html.match(/<img [^>]*>/g)).toEqual([`<img alt="" src="data:image/png;base64,iVBORw0KGgo=">`]);
		expect(html).toContain("default-src 'none'");
		expect(html).not.toMatch(/https?:|<script|<link/);
	});
});

describe("Markdown", () => {
	test("contains the current branch, with the roles", () => {
		const text = toMarkdown(talk());
		expect(text).toStartWith("# hello\n");
		expect(text).toContain("\n## User\n\nhello\n\n## Assistant\n\n> thinking of hello\n\n**bash**\n\n```\n");
		expect(text).toContain("**bash (failed)**");
		expect(text).not.toContain("the answer that was left");
	});

	test("a fence in the output of a tool does not end the block", () => {
		const text = toMarkdown(talk("a\n````\nb"));
		expect(text).toContain("`````\na\n````\nb\n`````\n");
	});
});

test("a call with changed arguments shows who changed them, and what ran", () => {
	using session = SessionManager.inMemory("/work");
	const wrote = { type: "toolCall" as const, id: "1", name: "bash", arguments: { command: "rm -rf build" } };
	session.appendMessage(answered("", { content: [wrote] }));
	session.appendMessage({
		role: "toolResult",
		toolCallId: "1",
		toolName: "bash",
		content: [{ type: "text", text: "moved" }],
		isError: false,
		rewritten: { by: ["The extension trash"], arguments: { command: "trash build" } },
		timestamp: 1,
	});
	const text = toMarkdown(exportSource(session));
	expect(text).toMatch(/rm -rf build[^]*changed by: The extension trash[^]*trash build[^]*moved/);
	expect(toHtml(exportSource(session))).toContain("trash build");
});

test("a template call shows the typed command, and separately its expansion", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage({ ...said("Review a.ts with care."), called: "/review a.ts" });
	const source = exportSource(session);
	expect(toMarkdown(source)).toMatch(/## User\n\n\/review a\.ts\n\n\*\*expanded\*\*[^]*with care/);
	const html = toHtml(source);
	expect(html).toContain("<h1>/review a.ts</h1>");
	expect(html).toMatch(/<details class="result"><summary>[^]*with care/);
});

test("a tool result is complete, also if the screen shortens it", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage(said("look"));
	const content = [{ type: "text", text: "all of it" }];
	const data = { toolCallId: "1", toolName: "lookup", input: {}, content };
	const entryId = session.appendCustomEntry("mu_tool_result_full_v1", data);
	const result = { role: "toolResult" as const, toolName: "lookup", isError: false, timestamp: 3 };
	const short = [{ type: "text" as const, text: "(short)" }];
	for (const toolCallId of ["1", "lost"]) {
		const details = { _mu: { toolCallId, entryId } };
		session.appendMessage({ ...result, toolCallId, content: short, details });
	}
	for (const text of [toMarkdown(exportSource(session)), toHtml(exportSource(session))])
		expect(text).toMatch(/all of it[^]*\(short\)/);
});

test("JSON contains the header and the entries of the branch unchanged", () => {
	const source = talk();
	const read = JSON.parse(toJson(source));
	expect(read).toEqual(JSON.parse(JSON.stringify({ session: source.header, entries: source.branch })));
	expect(read.entries).toHaveLength(4);
});

test("control sequences are removed from page and Markdown", () => {
	const source = talk("red \u001b[31mtext\u001b]0;title\u0007 \u009b1m");
	expect(toHtml(source) + toMarkdown(source)).not.toMatch(/[\u001b\u0007\u009b]/);
});

test("entries of any shape are exported", () => {
	using session = SessionManager.inMemory("/work");
	session.appendMessage(said("begin"));
	const [head] = session.getBranch();
	const source = exportSource(session);
	fc.assert(
		fc.property(fc.constantFrom("message", "compaction", "label", "odd"), fc.object(), (type, fields) => {
			const entry = Object.assign({}, head, { message: fields, summary: fields }, { ...fields, type });
			const odd = { ...source, branch: [entry], tree: [{ entry, children: [] }] };
			expect(toHtml(odd)).toEndWith("</html>\n");
			expect(toMarkdown(odd)).toStartWith("# ");
			expect(JSON.parse(toNotebook(odd))).toHaveProperty("cells");
		}),
	);
});

test("a very deep session is exported", () => {
	using session = SessionManager.inMemory("/work");
	for (let count = 0; count < 20_000; count++) session.appendThinkingLevelChange("low");
	expect([...walkTree(session.getTree(), new Set())]).toHaveLength(20_000);
});
