/** What one does in an open session, in a real Chromium: reads how it was done, changes its model, stops and answers it. */
import { expect } from "bun:test";

import {
	answer,
	ask,
	call,
	demoSessions,
	type MockSession,
	result,
	shellApproval,
	text,
	user,
} from "@tau/web/testing";
import type { UserRequest } from "@tau/wire";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { textOf, until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium, addressOf, ...web } = await playedPage({ sessions: demoSessions() });

function played(id: string): MockSession {
	const session = web.played(id);
	session.message(user("Begin"));
	return session;
}

const opened = async (id: string, size: { width?: number; height?: number } = {}): Promise<Page> => {
	const page = await chromium.open(addressOf(id), size);
	await page.waitForSelector("#composer");
	return page;
};

/** By its own click: it may be below something, or out of sight. */
const press = async (page: Page, selector: string, words = ""): Promise<void> => {
	const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.innerText.includes(${JSON.stringify(words)}))`;
	await until(page, `!!${found}`);
	await page.evaluate(`${found}.click()`);
};
const sent = (session: MockSession, ...types: string[]): Record<string, unknown>[] =>
	session.received.filter(({ type }) => types.includes(String(type)));

test("thinking is a line that opens; output has its colors; a change is read inline or side by side, in its colors", async () => {
	const page = await opened("parser");
	await until(page, '!!document.querySelector(".diff-lines .hl-keyword")');
	await press(page, ".diff-tools button", "Side by side");
	await until(page, '!!document.querySelector(".diff-pairs") && !document.querySelector(".diff-sign")');
	await press(page, ".diff-tools button", "Inline");
	await until(page, '!!document.querySelector(".diff-sign") && !!document.querySelector(".diff mark")');
	await press(page, ".call .line", "bun test");
	await until(page, 'document.querySelector(".call-body .fg-2")?.innerText === "✓"');
	await page.evaluate('document.querySelector(".transcript").scrollTo(0, 0)');
	expect(await textOf(page, ".transcript")).not.toContain("The hot path is");
	await press(page, ".thinking .line");
	await untilText(page, "The hot path is next().", ".thinking .markdown");
});

test("an answer is copied as it was written, by the button behind its last words", async () => {
	const session = played("copied");
	session.message(answer([text("First I look."), call("c1", "read", { path: "a.ts" })]));
	session.message(result("c1", "read", "x"));
	session.message(answer([text("It is **done**.")]));
	const page = await opened("copied");
	await page.browserContext().setPermission(new URL(host.url).origin, {
		permission: { name: "clipboard-read" },
		state: "granted",
	});
	await page.browserContext().setPermission(new URL(host.url).origin, {
		permission: { name: "clipboard-write" },
		state: "granted",
	});
	await untilText(page, "It is done.", ".transcript");
	expect(await page.$$eval(".answer-tools", (all) => all.length)).toBe(1);
	await page.click(".answer-tools button");
	await page.waitForSelector("[aria-label=Copied]");
	expect(await page.evaluate("navigator.clipboard.readText()")).toBe("It is **done**.");
});

test("regression: Escape gives back what is queued without the draft being lost, and stops a command of the user", async () => {
	const session = played("stopped");
	session.handlers.clear_queue = () => {
		session.change({ queue: { steering: [], followUp: [] } });
		return { steering: ["turn left"], followUp: ["then rest"], messages: [] };
	};
	session.handlers.abort = () => session.change({ phase: "idle" });
	session.change({ phase: "running", queue: { steering: ["turn left"], followUp: ["then rest"] } });
	const page = await opened("stopped");
	await untilText(page, "turn left", ".queue");
	await page.type("#composer", "a draft");
	await page.keyboard.press("Escape");
	await until(page, 'document.querySelector("#composer").value === "turn left\\n\\nthen rest\\n\\na draft"');
	await until(page, '!document.querySelector(".queue")');
	await page.evaluate('document.querySelector("#composer").select()');
	await page.keyboard.press("Backspace");
	// A command of the user runs, and the model does not.
	session.emit({ type: "user_command_start", commandId: "u1", command: "sleep 100", isPrivate: false });
	await page.waitForSelector(".send.stop");
	await page.keyboard.press("Escape");
	while (sent(session, "abort").length < 2) await page.evaluate("new Promise(requestAnimationFrame)");
	expect(sent(session, "abort").map(({ scope }) => scope)).toEqual(["all", "all"]);
});

test("regression: what was used is shown when it was counted, which no event says", async () => {
	const session = played("counted");
	session.facts = { ...session.facts, usage: null };
	const page = await opened("counted");
	await untilText(page, "Begin", ".transcript");
	expect(await textOf(page, ".bar-tools")).not.toContain("$");
	session.change({ usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 1.25 } });
	await untilText(page, "$1.25", ".bar-tools");
});

test("arguments of a command are suggested behind its name, and taken with Tab", async () => {
	const session = played("argued");
	session.handlers.list_commands = () => ({
		commands: [
			{
				name: "mode",
				description: "When Tau asks",
				argumentHint: "[plan|ask]",
				right: "control",
				source: "tau",
			},
		],
	});
	session.handlers.complete_command = ({ prefix }) => ({
		items: ["plan", "ask"]
			.filter((value) => value.startsWith(String(prefix)))
			.map((value) => ({ value, label: value, description: `about ${value}` })),
	});
	session.handlers.run_command = ({ name, args }) => ({ text: `ran ${String(name)} ${String(args)}` });
	const page = await opened("argued");
	await page.type("#composer", "/mo");
	await untilText(page, "[plan|ask]", ".suggestions");
	await page.keyboard.press("Tab");
	await untilText(page, "about plan", ".suggestions");
	await page.keyboard.type("a");
	await until(page, '!document.querySelector(".suggestions").innerText.includes("plan")');
	await page.keyboard.press("Tab");
	await until(page, 'document.querySelector("#composer").value === "/mode ask"');
	await page.keyboard.press("Enter");
	await untilText(page, "ran mode ask", ".transcript");
});

test("a change is allowed or declined after its whole diff was seen", async () => {
	const session = played("diffed");
	const added = Array.from({ length: 60 }, (_, line) => `+line ${line}`).join("\n");
	ask(session, {
		...shellApproval,
		call: { toolCallId: "c1", toolName: "edit", args: { path: "a.ts" } },
		touches: [{ kind: "write", path: "a.ts" }],
		preview: { kind: "diff", text: `--- a.ts\n+++ a.ts\n@@ -1,1 +1,61 @@\n-old\n${added}` },
	} as UserRequest);
	session.handlers.answer_request = () => ({});
	const page = await opened("diffed");
	await untilText(page, "line 59", ".request .diff");
	await untilText(page, "Scroll to the end before you allow it.", ".request");
	await page.keyboard.press("1");
	expect(sent(session, "answer_request")).toEqual([]);
	await page.evaluate('document.querySelector(".approval-body").scrollTo(0, 1e6)');
	await until(page, 'document.querySelector(".choice.allow").ariaDisabled === "false"');
	await page.keyboard.press("3");
	await until(page, 'document.querySelector(".request").ariaBusy === "true"');
	expect(sent(session, "answer_request")).toMatchObject([{ answer: { choice: "no" } }]);
});

test("the model and its thinking are changed in their panel; items are dropped from the context and brought back", async () => {
	const session = played("changed");
	const other = { ...session.facts.model, id: "other-1", name: "The other" };
	let isDropped = false;
	Object.assign(session.handlers, {
		get_available_models: () => ({ models: [session.facts.model, other] }),
		get_available_thinking_levels: () => ({ levels: ["off", "low", "medium"] }),
		set_model: () => session.change({ model: other }),
		set_thinking_level: ({ level }: { level: "low" }) => session.change({ thinkingLevel: level }),
		get_context: () => ({
			...session.facts.context,
			usage: session.facts.context,
			sources: [
				{
					name: "Tool results",
					tokens: 900,
					items: [{ id: "r1", name: "read a.ts", tokens: 900, canDrop: true, isDropped }],
				},
			],
			turns: [],
			misses: [],
			text: "",
		}),
		drop_context: () => void (isDropped = true),
		restore_context: () => void (isDropped = false),
	});
	const page = await opened("changed");
	await press(page, ".bar-tools .chip", "Claude Sonnet");
	await page.waitForSelector("[aria-label='Search models']");
	await page.type("[aria-label='Search models']", "other");
	await until(page, 'document.querySelectorAll(".models li").length === 1');
	await page.keyboard.press("Enter");
	await untilText(page, "The other", ".models [aria-pressed=true]");
	await press(page, ".segments button", "low");
	await untilText(page, "low", ".segments [aria-pressed=true]");
	await page.keyboard.press("Escape");
	await untilText(page, "The other low", ".bar-tools");
	expect(sent(session, "set_model", "set_thinking_level")).toMatchObject([
		{ provider: "anthropic", modelId: "other-1" },
		{ level: "low" },
	]);
	await press(page, ".bar-tools .meter");
	await press(page, ".source summary");
	await press(page, ".source .link", "Drop");
	await untilText(page, "Bring back", ".source");
	await press(page, ".source .link", "Bring back");
	await untilText(page, "Drop", ".source");
});

test("regression: on a phone, what a command of the panel says or asks is not below the panel, nor is a question", async () => {
	const session = played("covered");
	session.handlers.run_command = ({ name }) => ({ text: `/${String(name)} has run` });
	const page = await opened("covered", { width: 360, height: 720 });
	for (const name of ["tools", "mcp"]) {
		await page.tap('[aria-label="Overview"]');
		await press(page, ".panel .chip", `/${name}`);
		await untilText(page, `/${name} has run`, ".transcript");
		await until(page, '!document.querySelector(".panel")');
	}
	await page.tap('[aria-label="Overview"]');
	await page.waitForSelector(".panel");
	ask(session, shellApproval);
	await untilText(page, "A question waits for you", ".panel");
	await page.tap(".panel-question");
	await until(page, '!document.querySelector(".panel")');
	await untilText(page, "Allow once", ".request");
});

test("regression: words that a phone's keyboard composes reach the program; who may not control types nothing", async () => {
	const session = played("typed");
	Object.assign(session.handlers, { terminal_input: () => ({}), terminal_resize: () => ({}) });
	const screen = { columns: 80, rows: 24, lines: ["Name?"], applicationCursor: false, bracketedPaste: false };
	ask(session, { kind: "terminal", id: "t1", openedAt: 0, command: "login", screen });
	const page = await opened("typed", { width: 360, height: 720 });
	await until(page, "document.activeElement?.matches('.terminal-keys')");
	const devtools = await page.createCDPSession();
	await devtools.send("Input.imeSetComposition", { text: "An", selectionStart: 2, selectionEnd: 2 });
	expect(sent(session, "terminal_input")).toEqual([]);
	await devtools.send("Input.insertText", { text: "Ann" });
	await page.tap(".touch-keys button:last-child");
	const typed = (): string =>
		sent(session, "terminal_input")
			.map(({ data }) => String(data))
			.join("");
	while (!typed().endsWith("\r")) await page.evaluate("new Promise(requestAnimationFrame)");
	expect(typed()).toBe("Ann\r");
	host.rights = "approve";
	try {
		const other = await opened("typed");
		await untilText(other, "You may read this question, not answer it.", ".request");
		expect(await other.$eval(".terminal-keys", (field) => (field as { disabled?: boolean }).disabled)).toBe(
			true,
		);
	} finally {
		host.rights = "control";
	}
});

test("a file whose upload loses its network continues where it was", async () => {
	const session = played("uploaded");
	const page = await opened(session.id);
	const base = "/api/sessions/uploaded/uploads";
	const bytes: string[] = [];
	host.routes[`POST ${base}`] = () => ({ uploadId: "u1", chunkBytes: 4 });
	host.routes[`PUT ${base}/u1`] = async (request, url) => {
		bytes.push(`${url.searchParams.get("offset")} ${await request.text()}`);
		// The next part is sent into nothing.
		if (bytes.length === 2) await page.setOfflineMode(true);
		return { received: Math.min(10, Number(url.searchParams.get("offset")) + 4) };
	};
	host.routes[`POST ${base}/u1/done`] = () => ({
		id: "u1",
		type: "document",
		fileName: "a.bin",
		mimeType: "",
		size: 10,
		content: "",
		block: "a.bin",
	});
	await page.evaluate(`{
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(["0123456789"], "a.bin"));
		document.querySelector("#composer").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
	}`);
	while (bytes.length < 2) await page.evaluate("new Promise(requestAnimationFrame)");
	while (!chromium.errors.some((error) => error.includes("ERR_INTERNET_DISCONNECTED")))
		await page.evaluate("new Promise(requestAnimationFrame)");
	await page.setOfflineMode(false);
	await page.waitForSelector(".attachment-ready");
	expect(bytes).toEqual(["0 0123", "4 4567", "8 89"]);
	expect(chromium.errors.splice(0).filter((error) => !error.includes("Failed to load resource"))).toEqual([]);
});

test("a picture of another server is loaded by a click alone, in a tab that knows nothing of this one", async () => {
	const session = played("remote");
	session.message(answer([text("![chart](https://pictures.example/a.png?b=1)")]));
	const page = await opened("remote");
	await untilText(page, "Load image from pictures.example", ".transcript");
	await page.evaluate("window.open = (...args) => { globalThis.openedWith = args; return null; }");
	await page.click(".remote-image");
	expect(await page.evaluate("openedWith")).toEqual([
		"https://pictures.example/a.png?b=1",
		"_blank",
		"noopener,noreferrer",
	]);
});

test("no page has reported an error", () => {
	expect(chromium.errors).toEqual([]);
});
