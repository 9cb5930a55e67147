/** A session that is shared over a relay, and its guests in terminals of their own. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { startRelay } from "@tau/relay";

import { openTau } from "../interactive/driver.ts";
import { guest, linkOn, share } from "./room.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});

test("a guest sees what was said and what comes, prompts with its name, and leaves", async () => {
	await using shared = await share({ steps: ["First answer.", "Second answer.", "Third answer."] });
	const { host, link } = shared;
	host.type("from the host\r");
	await host.until("First answer.");
	await using ann = await guest(link, { name: "Ann" });
	await ann.until("First answer.");
	expect(ann.screen()).toContain("from the host");
	await host.until("Ann joined the collab session");
	await host.until("⇄ shared: 1 guest");
	await ann.until("⇄ guest, 2 here");
	ann.type("from the guest\r");
	for (const each of [host, ann]) await each.until("Second answer.");
	// Also on its own screen: without a name the host is meant.
	for (const each of [host, ann]) await each.until("from Ann");
	// Of a guest who wanted to interrupt.
	for (let at = 0; at < 4; at++) ann.press("escape");
	host.type("again\r");
	await ann.until("Third answer.");
	expect(ann.screen()).not.toContain("/rewind");
	for (const [line, answer] of [
		["/model\r", "/model is host-only during a collab session"],
		["!ls\r", "Commands and code are host-only during a collab session"],
	] as const) {
		ann.type(line);
		await ann.until(answer);
		ann.press("ctrlC");
	}
	// A click on the browser's line leads to the page of the relay.
	expect(host.bytes).toContain(`\u001b]8;;${shared.relay.url}/#`);
	host.type("/collab qr\r");
	await host.until("▄▄▄");
	ann.type("/collab\r");
	await ann.until("you, prompt");
	await ann.until(/host \(terminal pts\/\d+\) +host/);
	ann.type("/export copy.md\r");
	await ann.until("Exported to");
	expect(readFileSync(join(ann.home.project, "copy.md"), "utf8")).toContain("First answer.");
	const replicas = join(ann.home.home, ".tau/collab");
	const [file = ""] = readdirSync(replicas);
	expect(statSync(join(replicas, file)).mode & 0o777).toBe(0o600);
	expect(readFileSync(join(replicas, file), "utf8")).toContain("from the guest");
	ann.type("/leave\r");
	expect(await ann.exited).toBe(0);
	expect(ann.scrollback()).toContain("Left the collab session.");
	await host.until("Ann left the collab session");
});

test("collab.autoStart shares the session from its start, and says why if it cannot", async () => {
	await using relay = await startRelay({ bind: "127.0.0.1:0" });
	const settings = `collab:\n  autoStart: true\n  relayUrl: ${relay.url.replace("http", "ws")}\n`;
	await using host = await openTau({ steps: ["An answer."] }, { cols: 140, settings });
	await host.until("This session is shared through");
	await host.until("⇄ shared: 0 guests");
	await using ann = await guest(linkOn(host), { name: "Ann" });
	await ann.until("⇄ guest, 2 here");
	ann.type("hello\r");
	for (const each of [host, ann]) await each.until("An answer.");
	await using alone = await openTau({ steps: [] }, { cols: 140, settings: "collab:\n  autoStart: true\n" });
	await alone.until("no relay is configured");
});

test("a read-only guest reads along, comments are for people, and a revoked link is of no use", async () => {
	await using shared = await share({ steps: ["First answer.", "Second answer."] });
	const { host } = shared;
	host.type("go\r");
	await host.until("First answer.");
	host.type("/collab view\r");
	await host.until("read the whole session.");
	const view = linkOn(host);
	host.type("/collab link comment Bob for 2h uses 1\r");
	await host.until("comment on it");
	const comment = linkOn(host);
	expect(new Set([shared.link, view, comment]).size).toBe(3);
	await using ann = await guest(view, { name: "Ann" });
	await ann.until("First answer.");
	await host.until("Ann joined the collab session (read-only)");
	ann.type("let me in\r");
	await ann.until("This collab link is read-only");
	ann.press("ctrlC");
	ann.type("/comment let me in\r");
	await ann.until(/This collab link is read-only[^]*This collab link is read-only/);
	await using bob = await guest(comment, { name: "Bob" });
	await bob.until("First answer.");
	bob.type("/retry\r");
	await bob.until('/retry needs a link with the right "prompt"; yours has "comment"');
	bob.type("/comment is this right?\r");
	for (const each of [host, ann, bob]) await each.until("Bob commented: is this right?");
	host.type("more\r");
	for (const each of [ann, bob]) await each.until("Second answer.");
	const requests = JSON.stringify(host.home.played.requests);
	expect(requests).not.toContain("is this right?");
	// Used up.
	await using eve = await guest(comment, { name: "Eve" });
	expect(await eve.exited).not.toBe(0);
	expect(eve.scrollback()).toContain("This link was used as often as it may be.");
	host.type("/collab revoke view\r");
	await host.until('The link "view" is revoked');
	expect(await ann.exited).not.toBe(0);
	expect(ann.scrollback()).toContain("Collab session ended (The host has revoked this link.)");
	host.type("/collab status\r");
	await host.until("Bob (comment), by the link");
	host.type("/collab stop\r");
	expect(await bob.exited).not.toBe(0);
	expect(bob.scrollback()).toContain("Collab session ended (The host has stopped sharing.)");
	// Nobody looks for a room that is over.
	expect(bob.scrollback()).not.toContain("reconnecting");
	await using late = await guest(shared.link, { name: "Late" });
	expect(await late.exited).not.toBe(0);
});

test("who may approve answers the question of the host's machine, and who may only prompt is not asked", async () => {
	await using shared = await share(
		{ steps: [bash("node -e 1; touch made"), "Made it."] },
		{ args: ["--approval-mode", "ask"] },
	);
	const { host, link } = shared;
	host.type("/collab link approve Ann\r");
	await host.until("approve what it does on this machine");
	await using ann = await guest(linkOn(host), { name: "Ann" });
	await using bob = await guest(link, { name: "Bob" });
	for (const each of [ann, bob]) await each.until("played-1");
	bob.type("go\r");
	for (const each of [host, ann]) await each.until("Allow bash?");
	await bob.until("waiting for the host's answer");
	expect(bob.screen()).not.toContain("Allow bash?");
	ann.press("ctrlX");
	await ann.until("to decline");
	ann.type("1");
	for (const each of [host, ann, bob]) await each.until("Made it.");
	expect(existsSync(join(host.home.project, "made"))).toBe(true);
	await host.until("Answered by Ann.");
});

test("the host is asked before a guest is let in, and /join restores the guest's own session", async () => {
	await using shared = await share({ steps: ["First answer."] }, { settings: "collab:\n  admit: ask\n" });
	const { host, link } = shared;
	host.type("go\r");
	await host.until("First answer.");
	await using ann = await openTau({ steps: ["My own answer."] }, { cols: 120 });
	await ann.until("played-1");
	ann.type("mine\r");
	await ann.until("My own answer.");
	ann.type(`/join ${link}\r`);
	await host.until("wants to join");
	await host.until("Let them in?");
	await ann.until("The host is asked whether to let you in.");
	host.type("1");
	await ann.until("First answer.");
	ann.type("/leave\r");
	await ann.until("My own answer.");
	await ann.until("Ask anything");
	await host.until("left the collab session");
	// Its own screen says why it is back.
	ann.type(`/join ${link}\r`);
	await host.until("Let them in?");
	host.type("1");
	await ann.until("⇄ guest");
	host.type("/collab revoke prompt\r");
	await ann.until("Collab session ended (The host has revoked this link.)");
	await ann.until("My own answer.");
	ann.type(`/join ${link}\r`);
	await ann.until("The host does not accept this link: it was revoked");
});
