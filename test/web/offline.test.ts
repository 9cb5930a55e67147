/** The page without a network, in a real Chromium: it starts, its last sessions are read, and what is stored is sealed. */
import { afterAll, beforeAll, expect } from "bun:test";

import { answer, factsOf, MockSession, startMockHost, text, user } from "@tau/web/testing";

import { needs } from "../support/needs.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "./chromium.ts";

const test = needs("chromium");
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") !== null) chromium = await shareChromium();
});

afterAll(() => chromium?.[Symbol.asyncDispose]());

const secret = "the gate opens at dawn";

function played(): MockSession {
	const session = new MockSession(factsOf("gates", "Gates"));
	session.handlers.list_commands = () => ({ commands: [] });
	session.message(user("When does it open?"));
	session.message(answer([text(`In short: ${secret}.`)]));
	return session;
}

/** Everything that the browser's database holds, as far as it can be read, and whether its key can be taken out. */
const stored = `(async () => {
	const settled = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
	// To open a database that is not there yet would make one without stores.
	const isThere = (await indexedDB.databases()).some(({ name }) => name === "tau");
	if (!isThere) return { names: [], plain: "", isExtractable: undefined };
	const store = await settled(indexedDB.open("tau"));
	if (!store.objectStoreNames.contains("sealed")) return { names: [], plain: "", isExtractable: undefined };
	const sealed = await settled(store.transaction("sealed").objectStore("sealed").getAll());
	const [key] = await settled(store.transaction("keys").objectStore("keys").getAll());
	store.close();
	const plain = sealed.map(({ bytes }) => new TextDecoder("latin1").decode(bytes)).join("");
	return { names: sealed.map(({ name }) => name), plain, isExtractable: key?.extractable };
})()`;

test("without a network the page starts and shows the last sessions, sealed at rest, and continues when it is back", async () => {
	const session = played();
	const host = await startMockHost([session]);
	const { port } = new URL(host.url);
	const page = await chromium.open(`${host.url}#/s/gates`);
	await untilText(page, secret);
	await until(page, "navigator.serviceWorker.controller !== null");
	await until(page, `(async () => (await ${stored}).names.length === 2)()`);
	const { names, plain, isExtractable } = (await page.evaluate(stored)) as Record<string, unknown>;
	expect(names).toEqual(["list", "session gates"]);
	expect(isExtractable).toBe(false);
	expect(String(plain).length).toBeGreaterThan(500);
	expect(String(plain)).not.toContain("gate");
	await until(page, '(async () => !!(await caches.match("/")))()');
	await host[Symbol.asyncDispose]();

	await page.reload();
	await untilText(page, secret, ".transcript");
	await untilText(page, "No connection. This is how the session was on", ".connection");
	await untilText(page, "Gates", ".sessions");
	await untilText(page, "No connection", ".offline-note");
	expect(await textOf(page, ".dock")).toContain("View only");

	session.message(user("And when does it close?"));
	await using _again = await startMockHost([session], Number(port));
	await untilText(page, "And when does it close?", ".transcript");
	await page.waitForSelector("#composer");
	await until(page, '!document.querySelector(".connection")');
});

test("nothing of the sessions stays in a browser that was signed out", async () => {
	await using host = await startMockHost([played()]);
	const page = await chromium.open(`${host.url}#/s/gates`);
	await until(page, `(async () => (await ${stored}).names.length === 2)()`);
	host.routes["GET /api/sessions"] = () => Response.json({ error: "Signed out." }, { status: 401 });
	await untilText(page, "This browser is not signed in");
	await until(page, `(async () => (await ${stored}).names.length === 0)()`);
});
