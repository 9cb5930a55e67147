/** What documents of the model may do, in a real Chromium: no network by any way, no flood, versions, quotas. */
import { expect } from "bun:test";
import { createSocket, type Socket } from "node:dgram";

import { answer, call, factsOf, MockSession, result, text } from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { until, untilInArtifact, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium, played, addressOf } = await playedPage();

async function opened(id: string, html: string): Promise<Page> {
	const session = played(id);
	session.message(answer([text(`\`\`\`html\n${html}\n\`\`\``)]));
	const page = await chromium.open(addressOf(id));
	await page.waitForSelector("[data-action=open-artifact]");
	await page.click("[data-action=open-artifact]");
	return page;
}

async function udp(): Promise<{ socket: Socket; port: number; packets: string[] }> {
	const socket = createSocket("udp4");
	const packets: string[] = [];
	socket.on("message", (message) => packets.push(message.toString("hex").slice(0, 16)));
	const listening = Promise.withResolvers<void>();
	socket.bind(0, "127.0.0.1", () => listening.resolve());
	await listening.promise;
	return { socket, port: socket.address().port, packets };
}

/** Asks a STUN server for an address, which sends packets to it. */
const connect = (port: number): string =>
	`try { const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); c.createDataChannel("out"); c.createOffer().then((o) => c.setLocalDescription(o)).catch(() => {}); } catch {}`;

/** A document has RTCPeerConnection in its own window, and in those of frames that it makes. */
const ways = (port: number): string => `<p></p><script>
	const code = ${JSON.stringify(connect(port))};
	const script = "<script>" + code + "<" + "/script>";
	const add = (fields) => document.body.append(Object.assign(document.createElement("iframe"), fields));
	{${connect(port)}}
	add({ srcdoc: script });
	add({ src: "javascript:" + code });
	add({ src: URL.createObjectURL(new Blob([script], { type: "text/html" })) });
	add({ src: "data:text/html," + encodeURIComponent(script) });
	setTimeout(() => document.querySelector("p").append("tried"), 3000);
</script>`;

test("a document sends nothing by WebRTC, neither itself nor by frames in it", async () => {
	const { socket, port, packets } = await udp();
	try {
		const page = await opened("rtc", ways(port));
		// Chromium 156 ends the process of a document with such a header when one of its frames makes a connection: then
		// it does not answer any more. Another version may only refuse it.
		await Promise.any([
			untilText(page, "The document did not answer and was ended.", ".panel"),
			untilInArtifact(page, 'document.querySelector("p")?.textContent === "tried"'),
		]);
		expect(packets).toEqual([]);
	} finally {
		socket.close();
	}
});

test("a document that floods the page with messages is ended", async () => {
	const flood =
		'<p>flood</p><script>setInterval(() => { for (let i = 0; i < 500; i++) parent.postMessage("x", "*"); }, 10)</script>';
	const page = await opened("flood", flood);
	await untilText(page, "sent too many messages and was ended", ".panel");
	expect(await page.$("iframe")).toBeNull();
});

test("regression: a document that takes the keyboard again and again is ended, and the user writes on", async () => {
	const thief = "<input><script>setInterval(() => document.querySelector('input').focus(), 10)</script>";
	const page = await opened("thief", thief);
	await untilInArtifact(page, "!!document.querySelector('input')");
	await page.click("#composer");
	await untilText(page, "took the keyboard and was ended", ".panel");
	await page.click("#composer");
	await page.keyboard.type("for the model");
	await until(page, 'document.querySelector("#composer").value === "for the model"');
});

test("regression: frames in a document that flood the page end it, and cannot speak for it", async () => {
	const inner =
		'<script>top.postMessage("ready", "*"); setInterval(() => { for (let i = 0; i < 500; i++) top.postMessage("ready", "*"); }, 10)</script>';
	const page = await opened("nested", `<p>nested</p><iframe srcdoc='${inner}'></iframe>`);
	await untilText(page, "sent too many messages and was ended", ".panel");
	expect(await page.$("iframe")).toBeNull();
});

test("a drawing with scripts reaches neither the page, its store nor its server, and does not lead it elsewhere", async () => {
	const attack = `
		const tried = {};
		const attempt = async (name, work) => { try { tried[name] = await work() ?? "done"; } catch { tried[name] = "refused"; } };
		await attempt("page", () => parent.document.title);
		await attempt("store", () => localStorage.length);
		await attempt("cookies", () => document.cookie);
		await attempt("database", () => indexedDB.open("tau"));
		await attempt("server", () => fetch("/api/sessions"));
		await attempt("socket", () => new Promise((resolve, reject) => { const s = new WebSocket(location.origin.replace("http", "ws") + "/ws?session=svg"); s.onopen = resolve; s.onerror = reject; }));
		await attempt("worker", () => navigator.serviceWorker.register("/sw.js"));
		await attempt("top", () => { top.location = "https://evil.example/"; });
		await attempt("window", () => open("https://evil.example/") ? "opened" : Promise.reject());
		await attempt("name", () => { parent.postMessage({ __proto__: null, type: "hello", key: "x" }, "*"); });
		document.querySelector("text").textContent = JSON.stringify(tried);`;
	const session = new MockSession(factsOf("svg", "svg"));
	session.handlers.list_commands = () => ({ commands: [] });
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text y="9"></text><script>(async () => {${attack}})()</script></svg>`;
	session.message(answer([text(`\`\`\`svg\n${drawing}\n\`\`\``)]));
	host.sessions.set("svg", session);
	const asked: string[] = [];
	const page = await chromium.open("about:blank");
	page.on("request", (request) => asked.push(request.url()));
	await page.goto(`${host.url}#/s/svg`);
	await page.waitForSelector("[data-action=open-artifact]");
	await page.click("[data-action=open-artifact]");
	const shown = await untilInArtifact(page, "document.querySelector('text')?.textContent");
	const { name, ...tried } = JSON.parse(String(shown)) as Record<string, string>;
	expect(name).toBe("done");
	expect(Object.entries(tried).filter(([, outcome]) => outcome !== "refused")).toEqual([]);
	expect(page.url()).toBe(`${host.url}#/s/svg`);
	expect(asked.filter((url) => !url.startsWith(host.url))).toEqual([]);
});

test("a document that takes the port from the code that answers for it is ended too", async () => {
	const steal = `<p>steal</p><script>
		const send = MessagePort.prototype.postMessage;
		MessagePort.prototype.postMessage = function (value) { setInterval(() => { for (let i = 0; i < 500; i++) send.call(this, "x"); }, 10); };
	</script>`;
	const page = await opened("steal", steal);
	await untilText(page, "sent too many messages and was ended", ".panel");
});

test("the versions of a file that calls have written are kept, the last 50 of them, and each can be shown", async () => {
	const session = new MockSession(factsOf("versions", "versions"));
	session.handlers.list_commands = () => ({ commands: [] });
	for (let at = 1; at <= 52; at++) {
		session.message(answer([call(`w${at}`, "write", { path: "table.csv", content: `n\n${at}\n` })]));
		session.message(result(`w${at}`, "write", "Written."));
	}
	host.sessions.set("versions", session);
	const page = await chromium.open(`${host.url}#/s/versions`);
	await page.waitForSelector(".call .line");
	await page.evaluate('[...document.querySelectorAll(".call .line")].at(-1).click()');
	await until(page, '!!document.querySelector(".call-body .chip")');
	await page.evaluate('document.querySelector(".call-body .chip").click()');
	await untilText(page, "52", ".panel td");
	expect(await page.$$eval(".versions option", (all) => all.length)).toBe(50);
	await page.select(".versions", "0");
	await untilText(page, "3", ".panel td");
});
