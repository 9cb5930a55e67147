/** `tau web`: from the command to an answer in a page. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { userTextOf } from "@tau/wire/remote";

import { detach, model } from "../attach/local.ts";
import { launchWeb, login, PlayedBrowser, untilView } from "./launch-web.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

interface Row {
	id: string;
	title: string;
	cwd: string;
	isOpen: boolean;
	isArchived: boolean;
	waiting: number;
	phase?: string;
}
interface List {
	sessions: Row[];
	projects: { cwd: string; sessions: number }[];
}

test("a new session of the page is answered, and is in the list", async () => {
	await using tau = await launchWeb({ steps: ["Hello there.", "Again."] });
	const { browser, project } = tau;
	const { id } = await browser.post<{ id: string }>("/api/sessions", { cwd: project });
	using page = await browser.join(id);
	expect(page.me.rights).toBe("control");
	expect(page.view.facts.session.cwd).toBe(project);
	await page.request("prompt", { message: "hi" });
	await page.request("wait_for_idle", {});
	const texts = page.view.tail.entries.map(({ message }) => userTextOf(message)).filter(Boolean);
	expect(texts).toEqual(["hi"]);
	expect(JSON.stringify(page.view.tail.entries.at(-1))).toContain("Hello there.");
	const { sessions, projects } = await browser.get<List>("/api/sessions");
	expect(sessions).toMatchObject([{ id, title: "hi", cwd: project, isOpen: true, phase: "idle" }]);
	expect(projects).toEqual([{ cwd: project, sessions: 1 }]);
});

test("tau web opens the browser with a link of its own, and prints another one", async () => {
	await using tau = await launchWeb({ steps: [] });
	const seen = join(tau.home, "opened");
	const browser = join(tau.home, "browser.sh");
	writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > "${seen}.new"; mv "${seen}.new" "${seen}"\n`, {
		mode: 0o755,
	});
	const env = { BROWSER: browser, TAU_NO_BROWSER: "" };
	const { code, out } = await tau.run(["web", "--port", new URL(tau.origin).port], { env });
	expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Opened in your browser.") });
	while (!existsSync(seen)) await tau.browser.get("/api/sessions");
	const opened = readFileSync(seen, "utf8");
	const [printed = ""] = /http:\S+/.exec(out) ?? [];
	expect(opened).toStartWith(`${tau.origin}/#token=`);
	expect(opened).not.toBe(printed);
	for (const link of [opened, printed]) await PlayedBrowser.open(link);
});

test("the directory in which tau web was run is a project of the page, before it has a session", async () => {
	await using tau = await launchWeb({ steps: [] });
	const { projects } = await tau.browser.get<List>("/api/sessions");
	expect(projects).toEqual([{ cwd: tau.project, sessions: 0 }]);
});

test("the second tau web finds the first, and each link lets one browser in, once", async () => {
	await using tau = await launchWeb({ steps: [] });
	const link = await tau.link();
	expect(new URL(link).origin).toBe(tau.origin);
	const other = await PlayedBrowser.open(link);
	expect((await other.api("GET", "/api/sessions")).status).toBe(200);
	const again = await login(tau.origin, new URL(link).hash.slice("#token=".length));
	expect([again.status, await again.text()]).toEqual([401, expect.stringContaining("used already")]);
	const { out } = await tau.run(["web", "status"]);
	expect(out).toBe(`tau web runs at ${tau.origin}. Pages: 0. Browsers that are let in: 2.\n`);
	await tau.run(["web", "logout"]);
	expect((await other.api("GET", "/api/sessions")).status).toBe(401);
	expect((await tau.run(["web", "stop"])).out).toBe("Stopped. Sessions continue.\n");
	expect(login(tau.origin, "x")).rejects.toThrow();
	expect((await tau.run(["web", "status"])).code).toBe(1);
});

test("a question waits on top of the list, and is answered in the page", async () => {
	await using tau = await launchWeb({ steps: [bash("node -e 1; touch made"), "Other.", "Made it."] });
	const { browser } = tau;
	const asking = await detach(tau, "make it", "--approval-mode", "ask");
	const { id } = await listed(browser, (row) => row.waiting === 1);
	await detach(tau, "another");
	using page = await browser.join(id);
	const { sessions } = await browser.get<List>("/api/sessions");
	expect(sessions[0]).toMatchObject({ id, title: "make it", waiting: 1 });
	expect(id.startsWith(asking)).toBe(true);
	const [request] = page.view.live.requests;
	if (request?.kind !== "approval") throw new Error("no approval was asked for");
	const choice = request.choices.find(({ allows, scope }) => allows && scope === "once")?.id ?? "";
	await page.request("answer_request", { requestId: request.id, answer: { choice } });
	await page.request("wait_for_idle", {});
	expect(JSON.stringify(page.view.tail.entries)).toContain("Made it.");
	expect(existsSync(join(tau.project, "made"))).toBe(true);
});

test("sessions are searched, renamed, archived, forked, closed and moved to the trash", async () => {
	await using tau = await launchWeb({ steps: ["One.", "Two."] });
	const { browser } = tau;
	await tau.run([...model, "-p", "about apples"]);
	await tau.run([...model, "-p", "about pears"]);
	const found = await browser.get<List>("/api/sessions?search=APPLES");
	expect(found.sessions.map(({ title }) => title)).toEqual(["about apples"]);
	// The answer of the model, in two words that do not follow each other: twice, because the page asks again and again.
	for (const _ of ["first", "again"]) {
		const answered = await browser.get<List>("/api/sessions?search=pears%20TWO");
		expect(answered.sessions.map(({ title }) => title)).toEqual(["about pears"]);
	}
	const { id } = found.sessions[0] as Row;
	expect((await browser.api("PATCH", `/api/sessions/${id}`, { name: "Fruit\u001b[31m\n" })).status).toBe(204);
	const [renamed] = (await browser.get<List>("/api/sessions?search=fruit")).sessions;
	expect(renamed).toMatchObject({ id, title: "Fruit", isOpen: false });
	await browser.api("PATCH", `/api/sessions/${id}`, { archived: true });
	expect((await browser.get<List>("/api/sessions")).sessions.map(({ title }) => title)).toEqual([
		"about pears",
	]);
	expect((await browser.get<List>("/api/sessions?archived=1")).sessions).toMatchObject([
		{ id, isArchived: true },
	]);
	const { id: forked } = await browser.post<{ id: string }>(`/api/sessions/${id}/fork`, {});
	expect(forked).not.toBe(id);
	{
		using page = await browser.join(forked);
		expect(JSON.stringify(page.view.tail.entries)).toContain("about apples");
		expect((await browser.api("DELETE", `/api/sessions/${forked}`)).status).toBe(409);
		expect((await browser.api("POST", `/api/sessions/${forked}/close`)).status).toBe(204);
		await untilView(page, () => page.state.kind === "ended");
	}
	expect((await browser.api("DELETE", `/api/sessions/${id}`)).status).toBe(204);
	expect((await browser.get<List>("/api/sessions?archived=1")).sessions).toEqual([]);
	expect((await browser.api("DELETE", `/api/sessions/${id}`)).status).toBe(404);
});

test("a session that does not run is opened for the page; a directory that is gone is reported", async () => {
	await using tau = await launchWeb({ steps: ["One."] });
	const { browser } = tau;
	await tau.run([...model, "-p", "earlier"]);
	const [row] = (await browser.get<List>("/api/sessions")).sessions;
	// Two pages at once get one process.
	const [one, two] = await Promise.all([browser.join(row?.id ?? ""), browser.join(row?.id ?? "")]);
	using _one = one;
	using _two = two;
	expect(one.view.tail.entries.map(({ message }) => userTextOf(message)).filter(Boolean)).toEqual([
		"earlier",
	]);
	expect(two.view.clients).toHaveLength(2);
	expect(browser.join("no-such-session")).rejects.toThrow("There is no such session any more.");
	const refused = await browser.api("POST", "/api/sessions", { cwd: "/no/such/directory" });
	expect([refused.status, await refused.json()]).toEqual([
		400,
		{ error: "/no/such/directory is not a directory." },
	]);
});

test("a browser subscribes to push messages under the key of this machine", async () => {
	await using tau = await launchWeb({ steps: [] });
	const { browser } = tau;
	const { publicKey } = await browser.get<{ publicKey: string }>("/api/push");
	expect(Buffer.from(publicKey, "base64url")).toHaveLength(65);
	const endpoint = "https://push.example.com/one";
	const keys = { p256dh: publicKey, auth: Buffer.alloc(16).toString("base64url") };
	expect((await browser.api("POST", "/api/push", { subscription: { endpoint, keys } })).status).toBe(204);
	const inside = { endpoint: "https://127.0.0.1/one", keys };
	expect((await browser.api("POST", "/api/push", { subscription: inside })).status).toBe(400);
	expect((await browser.api("DELETE", "/api/push", { endpoint })).status).toBe(204);
});

async function listed(browser: PlayedBrowser, holds: (row: Row) => boolean): Promise<Row> {
	for (let attempt = 0; attempt < 200; attempt++) {
		const row = (await browser.get<List>("/api/sessions")).sessions.find(holds);
		if (row) return row;
	}
	throw new Error("never");
}

test("no secret of the machine is in anything that the page is sent", async () => {
	await using tau = await launchWeb({ steps: ["Hi."] });
	const models = join(tau.agentDir, "models.yml");
	const secret = (name: string): string => `machine-secret-${name}`;
	const provider = readFileSync(models, "utf8").replace(
		"auth: none",
		`apiKey: ${secret("key")}\n    headers: { x-team: ${secret("header")} }`,
	);
	expect(provider).toContain(secret("header"));
	writeFileSync(models, provider);
	writeFileSync(join(tau.agentDir, "config.yml"), `auth.broker.token: ${secret("token")}\n`);
	const { browser } = tau;
	const { id } = await browser.post<{ id: string }>("/api/sessions", { cwd: tau.project });
	using page = await browser.join(id);
	await page.request("prompt", { message: "hi" });
	await page.request("wait_for_idle", {});
	const commands = [
		"settings",
		"status",
		"debug",
		"doctor",
		"mcp",
		"permissions",
		"dump",
		"sandbox",
		"hooks",
	];
	const paths = ["sessions", "gateway", "fleet", "push", "stats", "stats/providers"];
	const received = [
		page.view.facts,
		page.view.tail,
		await page.request("get_state", {}),
		await page.request("get_available_models", {}),
		await page.request("get_context", {}),
		...(await Promise.all(commands.map((name) => page.request("run_command", { name, args: "" })))),
		...(await Promise.all(paths.map((path) => browser.get(`/api/${path}`)))),
	];
	const text = JSON.stringify(received);
	// They are in use: the model got the first two, and the setting is listed.
	expect(JSON.stringify(tau.played.requests.at(-1)?.headers)).toContain(secret("key"));
	expect(text).toContain("auth.broker.token");
	expect(text).not.toContain("machine-secret");
});
