/** Rooms come back by themselves: after a restart of the relay, of the host, and when the host opens another session. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { startRelay } from "@tau/relay";

import { openTau } from "../interactive/driver.ts";
import { guest, linkOn, share } from "./room.ts";

test("when the relay was away, everybody is back without a key pressed, and nothing is missing or doubled", async () => {
	await using shared = await share({ steps: ["First answer.", "Second answer.", "Third answer."] });
	const { host, link, relay } = shared;
	await using ann = await guest(link, { name: "Ann" });
	host.type("one\r");
	await ann.until("First answer.");
	const bind = new URL(relay.url).host;
	await relay[Symbol.asyncDispose]();
	await host.until("Collab relay connection lost");
	await ann.until("Collab connection lost");
	await ann.until(/⇄ guest, .* reconnecting/);
	host.type("two\r");
	await host.until("Second answer.");
	await using _again = await startRelay({ bind });
	await host.until("The collab relay is back.");
	await ann.until("Reconnected to collab session");
	await ann.until("Second answer.");
	expect(ann.screen()).not.toMatch(/⇄ guest, .* reconnecting/);
	ann.type("three\r");
	for (const each of [host, ann]) await each.until("Third answer.");
	expect(ann.scrollback().split("Second answer.")).toHaveLength(2);
	expect(host.scrollback().split("Ann joined")).toHaveLength(2);
	// What it reads of its own connection is enough.
	expect(ann.scrollback()).not.toContain("Collab relay connection lost");
	expect(ann.scrollback()).not.toContain("The collab relay is back.");
});

test("a compaction while a guest is away is there when it is back, and both go on", async () => {
	const steps = ["First answer.", "Second answer.", "A summary of it.", "Third answer."];
	await using shared = await share(
		{ steps },
		{ settings: "sessionTitle: false\ncompaction:\n  keepRecentTokens: 1\n" },
	);
	const { host, link, relay } = shared;
	await using ann = await guest(link, { name: "Ann" });
	for (const [prompt, answer] of [
		["one\r", "First answer."],
		["two\r", "Second answer."],
	] as const) {
		host.type(prompt);
		await ann.until(answer);
	}
	const bind = new URL(relay.url).host;
	await relay[Symbol.asyncDispose]();
	await ann.until("Collab connection lost");
	host.type("/compact\r");
	await host.until("compacted from");
	await using _again = await startRelay({ bind });
	await ann.until("Reconnected to collab session");
	await ann.until("compacted from");
	ann.type("three\r");
	for (const each of [host, ann]) await each.until("Third answer.");
});

test("a host that was started again has the same link, and its guests are back", async () => {
	const relay = await startRelay({ bind: "127.0.0.1:0" });
	await using _relay = relay;
	const address = relay.url.replace("http", "ws");
	await using first = await openTau({ steps: ["First answer.", "Second answer."] }, { cols: 140 });
	await first.until("played-1");
	first.type("one\r");
	await first.until("First answer.");
	first.type(`/collab ${address}\r`);
	await first.until("tau join");
	const link = linkOn(first);
	await using ann = await guest(link, { name: "Ann" });
	await ann.until("First answer.");
	process.kill(first.pid, "SIGKILL");
	await first.exited;
	await ann.until("Collab connection lost");
	const rooms = join(first.home.home, ".tau/collab/rooms");
	const [file = ""] = readdirSync(rooms);
	expect(statSync(join(rooms, file)).mode & 0o777).toBe(0o600);
	await using second = await openTau({ steps: [] }, { cols: 140, home: first.home, args: ["-c"] });
	await second.until("First answer.");
	second.type("/collab\r");
	await second.until("tau join");
	expect(linkOn(second)).toBe(link);
	await ann.until("Reconnected to collab session");
	ann.type("two\r");
	for (const each of [second, ann]) await each.until("Second answer.");
	// The keys of the room are nowhere but in that file.
	expect(readFileSync(join(rooms, file), "utf8")).toContain("invitations");
});

test("another session of the host never shows in the room", async () => {
	await using shared = await share({ steps: ["First answer.", "A secret answer."] });
	const { host, link } = shared;
	host.type("one\r");
	await host.until("First answer.");
	await using ann = await guest(link, { name: "Ann" });
	await ann.until("First answer.");
	host.type("/new\r");
	await host.until("Sharing has stopped with the session");
	host.type("private\r");
	await host.until("A secret answer.");
	await ann.until("Collab connection lost (The host has opened another session.)");
	expect(ann.scrollback()).not.toContain("private");
	expect(ann.bytes).not.toContain("A secret answer.");
});
