/** Push messages in a real Chromium: what a notification says, and that it is answered in two touches. */
import { expect } from "bun:test";

import { ask, shellApproval, user } from "@tau/web/testing";
import type { CDPSession, Page } from "puppeteer-core";

import { needs } from "../support/needs.ts";
import { until, untilText } from "./chromium.ts";
import { playedPage } from "./played-page.ts";

const test = needs("chromium");
const { host, chromium, played } = await playedPage({ isWhole: true });

/**
 * As the push service of a browser hands it to the worker, opened already; waits until the notification is shown. Nobody may
 * ask for the notifications meanwhile: Chromium then drops what it has noted down and does not show yet.
 */
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
	let displayed = Promise.withResolvers<void>();
	devtools.on("BackgroundService.backgroundServiceEventReceived", ({ backgroundServiceEvent }) => {
		if (backgroundServiceEvent.eventName === "Notification displayed") displayed.resolve();
	});
	await devtools.send("BackgroundService.setRecording", { shouldRecord: true, service: "notifications" });
	await devtools.send("BackgroundService.startObserving", { service: "notifications" });
	return async (message) => {
		displayed = Promise.withResolvers<void>();
		const data = JSON.stringify(message);
		await devtools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
		await displayed.promise;
	};
}

const shown = `(async () => (await (await navigator.serviceWorker.ready).getNotifications())
	.map(({ title, body, data }) => [title, body, data]))()`;
const count = (many: number): string => `(async () => (await ${shown}).length === ${many})()`;

test("a notification says only that something waits, and leads to the question, which one more touch answers", async () => {
	const session = played("secret-plans", "Secret plans");
	const answers: unknown[] = [];
	session.handlers.answer_request = ({ requestId, answer }) => {
		answers.push(answer);
		session.emit({ type: "request_closed", id: String(requestId), answered: true });
	};
	session.message(user("Push it"));
	ask(session, shellApproval);
	const page = await chromium.open(`${host.url}#/`, { width: 360, height: 720 });
	await page.browserContext().setPermission(new URL(host.url).origin, {
		permission: { name: "notifications" },
		state: "granted",
	});
	await until(page, "navigator.serviceWorker.controller !== null");
	const push = await pusherOf(page);
	await push({ session: "secret-plans", kind: "question" });
	await push({ session: "another", kind: "ended" });
	await push({ task: "t1", kind: "question" });
	expect(((await page.evaluate(shown)) as string[][]).toSorted()).toEqual([
		["Tau has a question", "A session waits for your answer.", "/#/s/secret-plans"],
		["Tau has a question", "A task of the fleet waits for your answer.", "/#/fleet"],
		["Tau has finished", "A run has ended.", "/#/s/another"],
	]);
	// Of the same session, the last one is enough.
	await push({ session: "secret-plans", kind: "question" });
	expect(await page.evaluate(shown)).toHaveLength(3);

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
