/** Questions of tasks reach the user wherever they are: in the footer of a terminal, in the page, and as a push. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";

import { openStore, type TaskStore } from "@tau/fleet";

import { needs } from "../support/needs.ts";
import { launch } from "../support/launch.ts";
import { openTau } from "../interactive/driver.ts";
import { axeFindings } from "../web/axe.ts";
import { shareChromium, textOf, until, untilText, type Chromium } from "../web/chromium.ts";
import { launchWeb } from "../web/launch-web.ts";

let chromium: Chromium | undefined;
beforeAll(async () => {
	if (Bun.which("chromium") !== null) chromium = await shareChromium();
});
afterAll(async () => {
	await chromium?.[Symbol.asyncDispose]();
});

const spec = {
	repo: "/r",
	ref: "HEAD",
	commit: "c",
	policy: "auto",
	tries: 3,
	priority: 0,
	after: [],
} as const;

async function storeOf(home: string): Promise<TaskStore> {
	return await openStore({ url: undefined, directory: join(home, ".tau/state/fleet"), env: {} });
}

/** A task whose worker is this test, with a question; no other worker has the label. */
async function asking(store: TaskStore) {
	const [task] = await store.add([
		{ ...spec, prompt: "publish the release", labels: ["test"] },
		{ ...spec, prompt: "write the notes", labels: ["test"] },
	]);
	const lease = await store.claim({ id: "w", labels: ["test"] });
	if (!task || !lease) throw new Error("no task");
	const question = { id: "q", key: "k", text: "Allow git push?", choices: ["Allow once", "Deny"] };
	await store.report(lease, { cost: 0.25, last: "bash git push", questions: [question] });
	return { id: task.id, lease, question };
}

test("the footer of a terminal says how many tasks ask, until they are answered", async () => {
	await using home = await launch({ steps: [] });
	await using store = await storeOf(home.home);
	const { lease } = await asking(store);
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("1 task asks: /fleet");
	await store.report(lease, { cost: 0.25, questions: [] });
	await tau.untilGone("task asks");
	tau.type("/exit\r");
	expect(await tau.exited).toBe(0);
});

needs("chromium")(
	"the page shows tasks by state with their questions, answers, steers and stops them",
	async () => {
		if (!chromium) throw new Error("no browser");
		await using tau = await launchWeb({ steps: [] });
		const page = await chromium.open(`${await tau.link()}&to=fleet`);
		await untilText(page, "There are no tasks.");
		await using store = await storeOf(tau.home);
		const { id, lease, question } = await asking(store);
		await untilText(page, "Allow git push?");
		expect(await textOf(page, ".bar-facts")).toBe("1 waiting, 1 queued");
		expect(await textOf(page, 'section[aria-label="Tasks"]')).toMatch(
			/publish the release \w+\s+waiting\s+asks: Allow git push\?\s+\$0\.25/,
		);
		expect(await axeFindings(page)).toEqual([]);
		await page.click(".fleet-question button.primary");
		const answer = { kind: "answer", question: question.id, key: question.key, text: "Allow once" } as const;
		expect(await received(store, lease)).toEqual([answer]);
		await page.click(`button[aria-label="Steer ${id}"]`);
		await page.type("dialog input", "and tag it");
		await page.keyboard.press("Enter");
		expect(await received(store, lease)).toEqual([{ kind: "steer", text: "and tag it" }]);
		// What is not meant is not done.
		const press = `[...document.querySelectorAll("button")].find((each) => each.textContent === "Stop everything").click()`;
		await page.evaluate(press);
		await page.type("dialog input", "no");
		await page.keyboard.press("Enter");
		await until(page, "!document.querySelector('dialog[open]')");
		expect((await store.list(["stopped"])).length).toBe(0);
		await page.evaluate(press);
		await page.type("dialog input", "stop");
		await page.keyboard.press("Enter");
		await untilText(page, "2 stopped");
		expect((await store.list(["stopped"])).length).toBe(2);
	},
	180_000,
);

async function received(store: TaskStore, lease: Parameters<TaskStore["receive"]>[0]) {
	const deadline = Date.now() + 60_000;
	for (;;) {
		const messages = await store.receive(lease);
		if (messages.length > 0) return messages;
		if (Date.now() > deadline) throw new Error("nothing was sent");
		await Bun.sleep(20);
	}
}
