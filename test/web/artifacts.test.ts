/** What documents of the model may do, in a real Chromium: no network by any way, no flood, versions, quotas. */
import { afterAll, beforeAll, expect } from "bun:test";
import { createSocket, type Socket } from "node:dgram";

import {
	answer,
	call,
	factsOf,
	MockSession,
	result,
	startMockHost,
	text,
	type MockHost,
} from "@tau/web/testing";
import type { Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { launchChromium, until, untilText, type Chromium } from "./chromium.ts";

const test = needs("chromium");
let host: MockHost;
let chromium: Chromium;

beforeAll(async () => {
	if (Bun.which("chromium") === null) return;
	host = await startMockHost([]);
	chromium = await launchChromium();
});

afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
	await host?.[Symbol.asyncDispose]();
});

async function opened(id: string, html: string): Promise<Page> {
	const session = new MockSession(factsOf(id, id));
	session.handlers.list_commands = () => ({ commands: [] });
	session.message(answer([text(`\`\`\`html\n${html}\n\`\`\``)]));
	host.sessions.set(id, session);
	const page = await chromium.open(`${host.url}#/s/${id}`);
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

/** Asks a STUN server for its own address, which sends a packet to it; then says so in the document. */
const rtc = (port: number): string => `
	const done = (word) => { document.title = word; top === parent && 0; report(word); };
	try {
		const connection = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
		connection.createDataChannel("out");
		connection.onicegatheringstatechange = () => { if (connection.iceGatheringState === "complete") done("gathered"); };
		connection.createOffer().then((offer) => connection.setLocalDescription(offer)).catch((error) => done("refused " + error.name));
	} catch (error) { done("refused " + error.name); }
	setTimeout(() => done("waited"), 4000);
`;
const report = 'const report = (word) => { document.querySelector("p").append(word + ";"); };';
const inside = (port: number): string => `const report = (word) => parent.postMessage(word, "*");${rtc(port)}`;

/** Every way to another window that a document has, each with its own RTCPeerConnection. */
const ways: readonly [name: string, html: (port: number) => string][] = [
	["itself", (port) => `<p></p><script>${report}${rtc(port)}</script>`],
	[
		"a frame without an address",
		(port) => `<p></p><script>${report}
			try {
				const frame = document.createElement("iframe");
				document.body.append(frame);
				globalThis.RTCPeerConnection = frame.contentWindow.RTCPeerConnection;
			} catch (error) { report("no window " + error.name); }
			{${rtc(port)}}</script>`,
	],
	[
		"a frame of HTML",
		(port) => `<p></p><script>${report}
			addEventListener("message", ({ data }) => report(data));
			const frame = document.createElement("iframe");
			frame.srcdoc = "<script>" + ${JSON.stringify(inside(port))} + "<" + "/script>";
			document.body.append(frame);
			setTimeout(() => report("waited"), 4000);</script>`,
	],
	[
		"a frame of a blob",
		(port) => `<p></p><script>${report}
			addEventListener("message", ({ data }) => report(data));
			const code = "<script>" + ${JSON.stringify(inside(port))} + "<" + "/script>";
			for (const address of [URL.createObjectURL(new Blob([code], { type: "text/html" })), "data:text/html," + encodeURIComponent(code), "/artifact"]) {
				const frame = document.createElement("iframe");
				frame.src = address;
				document.body.append(frame);
				const object = document.createElement("object");
				object.data = address;
				document.body.append(object);
			}
			setTimeout(() => report("waited"), 4000);</script>`,
	],
	[
		"another page in its place",
		(port) => `<p></p><script>${report}
			location.href = "data:text/html," + encodeURIComponent("<script>" + ${JSON.stringify(inside(port))} + "<" + "/script>");
			setTimeout(() => report("waited"), 4000);</script>`,
	],
	[
		"a script that runs as an address",
		(port) => `<p></p><script>${report}
			const frame = document.createElement("iframe");
			frame.src = ${JSON.stringify(`javascript:${inside(port)}`)};
			document.body.append(frame);
			addEventListener("message", ({ data }) => report(data));
			setTimeout(() => report("waited"), 4000);</script>`,
	],
];

test.each(ways)(
	"a document sends nothing by WebRTC: %s",
	async (name, html) => {
		const { socket, port, packets } = await udp();
		try {
			const page = await opened(`rtc ${name}`.replaceAll(" ", "-"), html(port));
			const frame = await (await page.waitForSelector("iframe"))?.contentFrame();
			// It has tried by then, or its page was refused.
			await frame
				?.waitForFunction('/waited|refused|gathered/.test(document.querySelector("p")?.textContent ?? "")', {
					timeout: 8000,
				})
				.catch(() => undefined);
			expect(packets).toEqual([]);
			await page.close();
		} finally {
			socket.close();
		}
	},
	60_000,
);

test("a document that floods the page with messages is ended", async () => {
	const flood = '<p>flood</p><script>setInterval(() => { for (let i = 0; i < 500; i++) parent.postMessage("x", "*"); }, 10)</script>';
	const page = await opened("flood", flood);
	await untilText(page, "sent too many messages and was ended", ".panel");
	expect(await page.$("iframe")).toBeNull();
}, 60_000);

test("a document that takes the port from the code that answers for it is ended too", async () => {
	const steal = `<p>steal</p><script>
		const send = MessagePort.prototype.postMessage;
		MessagePort.prototype.postMessage = function (value) { setInterval(() => { for (let i = 0; i < 500; i++) send.call(this, "x"); }, 10); };
	</script>`;
	const page = await opened("steal", steal);
	await untilText(page, "sent too many messages and was ended", ".panel");
}, 60_000);

test("the versions of a file that calls have written are kept, the last 50 of them, and each can be shown", async () => {
	const session = new MockSession(factsOf("versions", "versions"));
	session.handlers.list_commands = () => ({ commands: [] });
	for (let at = 1; at <= 52; at++) {
		const written = call("write", { path: "table.csv", content: `n\n${at}\n` });
		session.message(answer([written]));
		session.message(result(written, "Written."));
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
}, 60_000);
