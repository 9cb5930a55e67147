/** What pages and models cannot do with the browser: reach this machine unasked, read files, outlive the session. */
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";
import type { PrivateTarget } from "@tau/session/policy";
import { SessionSandbox } from "@tau/session/sandbox";
import { Settings } from "@tau/config/settings";

import { sweepTemporary } from "@tau/utils";

import { needs } from "../../../../test/support/needs.ts";
import { builtinTool } from "../builtin/index.ts";
import { browserService, describeBrowser } from "./browser-session.ts";
import { testBrowser, type TestBrowser } from "../../../../test/support/browser/test-browser.ts";
import { startSite, type Site } from "../../../../test/support/browser/site.ts";

const inChromium = needs("chromium");
let site: Site;
let browser: TestBrowser;
const asked: PrivateTarget[] = [];
let isYes = (_: PrivateTarget): boolean => false;

beforeAll(async () => {
	site = startSite();
	browser = await testBrowser({
		requestPrivate: async (target) => {
			asked.push(target);
			return isYes(target);
		},
	});
});
afterAll(async () => {
	await browser[Symbol.asyncDispose]();
	site[Symbol.dispose]();
});

const open = (url: string): Record<string, unknown> => ({ action: "open", url });
/** An address that no test opens by itself. */
const elsewhere = (path: string): string => site.url(path, "127.0.0.9");

inChromium("an address of this machine is asked about, and refused without a yes", async () => {
	isYes = () => false;
	const refused = await browser.fail(open(site.url("/form.html", "127.0.0.5")));
	expect(refused).toContain("127.0.0.5");
	expect(refused).toContain("fetch.allowPrivate");
	expect(asked.at(-1)).toMatchObject({ host: "127.0.0.5", address: "127.0.0.5", isOpened: true });
	// A name counts by its address.
	await browser.fail(open(site.url("/form.html")));
	expect(asked.at(-1)).toMatchObject({ host: "localhost", isOpened: true });
	isYes = ({ host }) => host === "localhost";
	expect(await browser.run(open(site.url("/form.html")))).toContain("textbox Name");
});

inChromium(
	"a page that leads or reaches to another private address is not one that a call has opened",
	async () => {
		isYes = ({ host }) => host === "localhost";
		await browser.run(open(site.url("/form.html")));
		const to = encodeURIComponent(elsewhere("/secret"));
		for (const path of [`/redirect?to=${to}`, `/leave?to=${to}`, `/load?from=${to}`]) {
			const { content } = await browser.result(open(site.url(path)));
			const text = JSON.stringify(content);
			const after = JSON.stringify((await browser.result({ action: "look", view: "text" })).content);
			expect(text + after).not.toContain("the secret of this machine");
			expect(text + after).toContain("127.0.0.9");
		}
		expect(asked.filter(({ host }) => host === "127.0.0.9")).toMatchObject([{ isOpened: false }]);
		// Once the user has seen the question, a page does not ask it again and again.
		await browser.env.settings.set("fetch.allowPrivate", true, "session");
		expect(await browser.run(open(site.url(`/redirect?to=${to}`)))).toContain("Secret");
		await browser.env.settings.set("fetch.allowPrivate", false, "session");
	},
);

inChromium("files and pages of the browser itself are not opened, nor reached by a page", async () => {
	isYes = ({ host }) => host === "localhost";
	for (const url of [
		"file:///etc/passwd",
		"chrome://settings",
		"view-source:http://localhost",
		"about:blank",
		"data:text/html,x",
	])
		expect(await browser.fail(open(url))).toContain("pages are not opened");
	await browser.run(open(site.url("/form.html")));
	const left = await browser.run({
		action: "evaluate",
		code: "location = 'file:///etc/passwd'; const made = open('file:///etc/passwd'); String(made?.location)",
	});
	expect(left).not.toContain("root:");
	expect(await browser.run({ action: "look", full: true })).toContain("textbox Name");
});

inChromium("acting on a page is judged as fetching from its host, and code as a program", async () => {
	isYes = ({ host }) => host === "localhost";
	const url = site.url("/form.html");
	await browser.run(open(url));
	const tool = builtinTool("browser")?.bind(browser.env);
	const judged = (args: Record<string, unknown>): unknown => [
		tool?.approvalFor?.(args),
		tool?.touches?.(args),
	];
	for (const action of ["click", "type", "fill", "press", "upload", "dialog", "reload"])
		expect(judged({ action, ref: 1 })).toEqual(["read", [{ kind: "fetch", url }]]);
	expect(judged({ action: "look" })).toEqual(["read", []]);
	// A tab in the background may be at another host.
	const first = Number(/\[tab (\d+)\]/.exec(await browser.run({ action: "look" }))?.[1]);
	const there = site.url("/article.html");
	await browser.run({ ...open(there), tab: 0 });
	expect(judged({ action: "click", ref: 1 })).toEqual(["read", [{ kind: "fetch", url: there }]]);
	expect(judged({ action: "click", ref: 1, tab: first })).toEqual(["read", [{ kind: "fetch", url }]]);
	expect(judged({ action: "evaluate", code: "1" })).toMatchObject(["exec", [{ kind: "exec" }]]);
	expect(judged({})).toEqual(["exec", []]);
});

inChromium("in plan mode pages are read, and not used", async () => {
	isYes = ({ host }) => host === "localhost";
	const plan = {
		isOn: true,
		nextMode: "auto",
		leave: () => "auto",
		edit: async () => undefined,
		startFresh: () => {},
	};
	await using planning = await testBrowser({ plan, requestPrivate: async () => true });
	expect(await planning.fail({ action: "click", ref: 1 })).toContain("In plan mode pages are read");
	expect(await planning.fail({ action: "evaluate", code: "1" })).toContain("In plan mode");
	await using silent = await testBrowser();
	await silent.env.settings.set("browser.enabled", false, "session");
	expect(await silent.fail(open("http://localhost"))).toContain("browser.enabled");
	await silent.env.settings.set("browser.enabled", true, "session");
	await silent.env.settings.set("browser.path", "/nowhere/chrome", "session");
	expect(await silent.fail(open("http://localhost"))).toContain("There is no browser /nowhere/chrome");
});

inChromium("cookies and local storage stay with their project, also when the browser is closed", async () => {
	isYes = ({ host }) => host === "localhost";
	const visit = async (one: TestBrowser): Promise<string> => {
		await one.run(open(site.url("/cookie")));
		const cookie = await one.run({ action: "look", view: "text" });
		await one.run(open(site.url("/stored")));
		return cookie + (await one.run({ action: "look", view: "text" }));
	};
	expect(await visit(browser)).toMatch(/Cookie: none[^]*Visits before: none/);
	await browser.run({ action: "close" });
	expect(await visit(browser)).toMatch(/Cookie: visit=1[^]*Visits before: 1/);
	expect(await browser.run({ action: "cookies" })).toMatch(/^localhost visit \d{4}-\d\d-\d\d/);
	// What the page has deleted does not come back with its next document.
	await browser.run({ action: "click", ref: await browser.ref("Leave") });
	expect(await visit(browser)).toContain("Visits before: none");
	const { env, cwd } = browser.env;
	await using other = await testBrowser({ env, cwd: join(cwd, ".."), requestPrivate: async () => true });
	expect(await visit(other)).toMatch(/Cookie: none[^]*Visits before: none/);
	await browser.run({ action: "clear_cookies" });
	expect(await browser.run({ action: "cookies" })).toBe("No cookies.");
	expect(await visit(browser)).toMatch(/Cookie: none[^]*Visits before: none/);
});

needs("chromium", "Xvfb")("a visible browser has a window, and is used as one without", async () => {
	await using display = Bun.spawn(["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "ignore",
	});
	let number = "";
	for await (const chunk of display.stdout.values({ preventCancel: true })) {
		number += new TextDecoder().decode(chunk);
		if (number.endsWith("\n")) break;
	}
	const { PATH, HOME } = process.env;
	const env = { PATH, HOME, DISPLAY: `:${number.trim()}` };
	await using visible = await testBrowser({ env });
	await visible.env.settings.set("browser.visible", true, "session");
	await visible.run(open(site.url("/form.html")));
	const ref = await visible.ref("Name");
	expect(await visible.run({ action: "fill", ref, text: "Ada" })).toContain(`~ ${ref} textbox Name = Ada`);
	const session = visible.env.services.get(browserService, visible.env);
	expect(describeBrowser(session)[0]).toContain(", visible, ");
	const agent = await visible.run({ action: "evaluate", code: "navigator.userAgent" });
	expect(agent).not.toContain("Headless");
});

inChromium("nothing is left after the session, also not after Tau was killed", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-browser-kill-"));
	try {
		const script = `
			const { testBrowser } = await import(${JSON.stringify(join(import.meta.dir, "../../../../test/support/browser/test-browser.ts"))});
			const { PATH, HOME, TMPDIR } = process.env;
			const browser = await testBrowser({ env: { PATH, HOME, TMPDIR } });
			await browser.run({ action: "open", url: ${JSON.stringify(site.url("/form.html"))} });
			console.log("open");
			setInterval(() => {}, 1000);`;
		const child = Bun.spawn([process.execPath, "-e", script], {
			env: { ...process.env, TMPDIR: directory },
			stdout: "pipe",
			stderr: "inherit",
		});
		const reader = child.stdout.getReader();
		expect(new TextDecoder().decode((await reader.read()).value)).toContain("open");
		expect(await processesWith(directory)).toBeGreaterThan(0);
		child.kill("SIGKILL");
		await child.exited;
		const end = performance.now() + 60_000;
		while ((await processesWith(directory)) > 0 && performance.now() < end) await Bun.sleep(50);
		expect(await processesWith(directory)).toBe(0);
		// The next Tau deletes the files.
		await sweepTemporary(directory);
		expect(readdirSync(directory).filter((name) => name.startsWith("tau-session-"))).toEqual([]);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
	const session = browser.env.services.get(browserService, browser.env);
	isYes = () => true;
	await browser.run(open(site.url("/form.html")));
	const profile = session.running?.started.profile ?? "";
	expect(existsSync(profile)).toBe(true);
	await browser.run({ action: "close" });
	expect(existsSync(profile)).toBe(false);
	expect(await processesWith(profile)).toBe(0);
});

async function processesWith(text: string): Promise<number> {
	let count = 0;
	for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
		// A process may have ended meanwhile.
		const line = await Bun.file(`/proc/${pid}/cmdline`)
			.text()
			.catch(() => "");
		if (line.includes(`--user-data-dir=`) && line.includes(text)) count++;
	}
	return count;
}

needs(
	"chromium",
	"bwrap",
	"nsenter",
	"python3",
)(
	"in the sandbox the browser runs inside: it reaches servers of commands there, and no other host unasked",
	async () => {
		const root = realpathSync(mkdtempSync(join(homedir(), ".tau-browser-sandbox-")));
		const cwd = join(root, "project");
		await Bun.write(join(cwd, "index.html"), "<title>Inside</title><button>Served</button>");
		const hosts: [host: string, by: string][] = [];
		const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
		const env = { PATH: process.env.PATH ?? "", HOME: root, TAU_SANDBOX: "required" };
		const sandbox = new SessionSandbox({
			cwd,
			env,
			settings,
			policy: {
				mode: () => "auto",
				canAsk: () => true,
				requestHost: async (host, _port, _signal, by) => {
					hosts.push([host, by]);
					return false;
				},
			},
		});
		try {
			const machine = withSandbox(localMachine(), sandbox.launcher);
			await using server = await machine.shell.start({
				command: ["python3", "-u", "-m", "http.server", "8377", "--bind", "127.0.0.1"],
				cwd,
				env,
			});
			const listening = Promise.withResolvers<void>();
			server.output.once("data", () => listening.resolve());
			await listening.promise;
			await using inside = await testBrowser({ cwd, env, machine, sandbox });
			const first = await inside.run({ action: "open", url: "http://127.0.0.1:8377/" });
			expect(first).toContain("button Served");
			expect(first).not.toContain("without its own sandbox");
			// The same port of this machine is another server.
			expect(await inside.fail({ action: "open", url: site.url("/form.html") })).toContain("was not opened");
			await inside.result({ action: "open", url: "http://unlisted.example/" });
			expect(hosts).toContainEqual(["unlisted.example", "browser"]);
		} finally {
			await sandbox[Symbol.asyncDispose]();
			rmSync(root, { recursive: true, force: true });
		}
	},
);
