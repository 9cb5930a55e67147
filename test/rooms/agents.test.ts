/** What guests in terminals do beside prompting: they interrupt the model, and watch, steer and stop its agents. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { guest, linkOn, share } from "./room.ts";

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });
const gate = "touch waits; until [ -e gate ]; do sleep 0.02; done; echo open";

test("Escape of a guest stops the model, for who may prompt and for nobody else", async () => {
	const slow = {
		answer: { blocks: [{ text: `It goes on${", and on".repeat(5000)}`, chunks: 5000 }], delayMs: 20 },
	};
	await using shared = await share({ steps: [slow as Step, "An answer."] });
	const { host, link } = shared;
	host.type("/collab view\r");
	await host.until("read the whole session.");
	await using eve = await guest(linkOn(host), { name: "Eve" });
	await using ann = await guest(link, { name: "Ann" });
	for (const each of [eve, ann]) await each.until("played-1");
	host.type("go\r");
	for (const each of [host, ann, eve]) await each.until("It goes on");
	eve.press("escape");
	await eve.until('needs the right "prompt"; Eve has "view"');
	expect(host.screen()).not.toContain("interrupted");
	ann.press("escape");
	await host.until("Ann interrupted");
	await eve.until("Ann interrupted");
	host.type("again\r");
	for (const each of [host, ann, eve]) await each.until("An answer.");
});

test("a guest watches an agent of the host, speaks to it and stops it; who may only read reads its transcript", async () => {
	await using shared = await share({
		steps: [delegate, call("bash", { command: gate }), "The gate was opened.", "All done."],
	});
	const { host, link } = shared;
	host.type("/collab view\r");
	await host.until("read the whole session.");
	await using eve = await guest(linkOn(host), { name: "Eve" });
	await using ann = await guest(link, { name: "Ann" });
	for (const each of [eve, ann]) await each.until("played-1");
	host.type("go\r");
	await host.untilFiles(() => existsSync(join(host.home.project, "waits")));
	for (const each of [ann, eve]) {
		each.type("/agents\r");
		await each.until(/── Agents[^]*Guard \(task\).*bash.*running/);
		each.press("enter");
		await each.until(/Guard running ·[^]*guard the gate/);
	}
	eve.type("\u0013");
	await eve.until("Message to Guard");
	eve.type("let me in\r");
	await eve.until('needs the right "prompt"; Eve has "view"');
	ann.type("\u0013");
	await ann.until("Message to Guard");
	ann.type("close it again\r");
	await ann.untilGone("Message to Guard");
	writeFileSync(join(host.home.project, "gate"), "");
	for (const each of [ann, eve]) {
		await each.until("close it again");
		await each.until("The gate was opened.");
	}
	ann.press("escape");
	await ann.until(/Guard \(task\).*completed/);
	ann.press("escape");
	for (const each of [host, ann]) await each.until("All done.");
	const requests = JSON.stringify(host.home.played.requests);
	expect(requests).toContain("close it again");
	expect(requests).not.toContain("let me in");
});

test("a guest stops an agent of the host, and lets it work again", async () => {
	const steps = [delegate, call("bash", { command: gate }), "All done.", "Back at the gate."];
	await using shared = await share({ steps });
	const { host, link } = shared;
	await using ann = await guest(link, { name: "Ann" });
	await ann.until("played-1");
	host.type("go\r");
	await host.untilFiles(() => existsSync(join(host.home.project, "waits")));
	ann.type("/agents\r");
	await ann.until(/── Agents[^]*Guard \(task\).*bash.*running/);
	ann.type("\u0004");
	await ann.until("Stop Guard");
	ann.type("y");
	await ann.until(/Guard \(task\).*(?:aborted|stopped)/);
	ann.press("escape");
	// The letters of a command that follow at once would be Alt and its slash.
	await ann.untilGone("── Agents");
	for (const each of [host, ann]) await each.until("All done.");
	ann.type("/agents\r");
	await ann.until(/── Agents[^]*Guard \(task\).*aborted/);
	ann.type("\u0006");
	await ann.until("Question to Guard");
	ann.type("continue\r");
	await ann.until(/── Agents[^]*Guard \(task\).*completed/);
	expect(JSON.stringify(host.home.played.requests.at(-1))).toContain("until [ -e gate ]");
});
