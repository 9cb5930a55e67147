/** Push messages in a real Chromium: what a notification says, and that it is answered in two touches. */
import { afterAll, beforeAll, expect } from "bun:test";

import {
	ask,
	factsOf,
	MockSession,
	shellApproval,
	startMockHost,
	user,
	type MockHost,
} from "@tau/web/testing";
import type { CDPSession, Page } from "puppeteer-core";

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

/** As the push service of a browser hands it to the worker, opened already. */
async function pusherOf(page: Page): Promise<(message: object) => Promise<void>> {
	const { origin } = new URL(host.url);
	const devtools: CDPSession = await page.createCDPSession();
	const registered = Promise.withResolvers<string>();
	devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
		const mine = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
		if (mine) registered.resolve(mine.registrationId);
	});
	await devtools.send("ServiceWorker.enable");
	const registrationId = await registered.promise;
	return async (message) => {
		const data = JSON.stringify(message);
		await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
	};
}

const shown = `(async () => (await (await navigator.serviceWorker.ready).getNotifications())
	.map(({ title, body, data }) => [title, body, data]))()`;
const count = (many: number): string => `(async () => (await ${shown}).length === ${many})()`;

test("a notification says only that something waits, and leads to the question, which one more touch answers", async () => {
	const session = new MockSession(factsOf("secret-plans", "Secret plans"));
	session.handlers.list_commands = () => ({ commands: [] });
	const answers: unknown[] = [];
	session.handlers.answer_request = ({ requestId, answer }) => {
		answers.push(answer);
		session.emit({ type: "request_closed", id: String(requestId), answered: true });
	};
	session.message(user("Push it"));
	ask(session, shellApproval);
	host.sessions.set("secret-plans", session);
	const page = await chromium.open(`${host.url}#/`, { width: 360, height: 720 });
	await page.browserContext().setPermission(new URL(host.url).origin, {
		permission: { name: "notifications" },
		state: "granted",
	});
	await until(page, "navigator.serviceWorker.controller !== null");
	const push = await pusherOf(page);
	await push({ session: "secret-plans", kind: "question" });
	await until(page, count(1));
	await push({ session: "another", kind: "ended" });
	await push({ task: "t1", kind: "question" });
	await until(page, count(3));
	expect(((await page.evaluate(shown)) as string[][]).toSorted()).toEqual([
		["Tau has a question", "A session waits for your answer.", "/#/s/secret-plans"],
		["Tau has a question", "A task of the fleet waits for your answer.", "/#/fleet"],
		["Tau has finished", "A run has ended.", "/#/s/another"],
	]);
	// Of the same session, the last one is enough.
	await push({ session: "secret-plans", kind: "question" });
	await until(page, count(3));

	const target = await (
		await chromium.browser()
	).waitForTarget((each) => each.type() === "service_worker" && each.url().startsWith(host.url));
	const worker = await target.worker();
	// The first touch: on the notification.
	await worker?.evaluate(`(async () => {
		const [notification] = await registration.getNotifications({ tag: "/#/s/secret-plans" });
		dispatchEvent(new NotificationEvent("notificationclick", { notification }));
	})()`);
	await untilText(page, "git push --force-with-lease", ".request");
	await until(page, count(2));
	await until(page, 'document.querySelector(".choice.allow").ariaDisabled === "false"');
	// The second one.
	await page.tap(".choice.allow");
	await until(page, '!document.querySelector(".request")');
	expect(answers).toEqual([{ choice: "once" }]);
});
