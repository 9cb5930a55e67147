/** Slash commands in a terminal that has joined a session: they run where the session is, and are drawn where they were typed. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { OpenTau, openTau } from "../interactive/driver.ts";
import { attach } from "./local.ts";

function joined(tau: OpenTau): OpenTau {
	return new OpenTau(tau.home, { home: tau.home, anyModel: true, args: ["attach"] });
}

test("commands of a joined terminal change the session, and both screens show it", async () => {
	await using tau = await openTau({ steps: ["First answer."] });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First answer.");
	await using second = joined(tau);
	await second.until("First answer.");
	second.type("/name from afar\r");
	await second.until('Session renamed to "from afar".');
	second.type("/goal test -e made\r");
	await second.until("Goal set: `test -e made` must pass.");
	await tau.until("goal 0/10");
	second.type("/status\r");
	await second.until("First answer.");
	await second.until(/account\s+/);
	second.type("/cost\r");
	await second.until(/\$0\.\d+ for/);
	second.type("/nam\r");
	await second.until("Unknown command /nam. Did you mean /name");
	second.press("ctrlC");
	second.type("/goal --of\r");
	await second.until("Unknown option --of. Did you mean --off?");
});

test("the question of a command is asked where it was typed, and its list is chosen from there", async () => {
	await using tau = await openTau({ steps: ["First answer."] });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First answer.");
	await using second = joined(tau);
	await second.until("First answer.");
	second.type("/mode\r");
	await second.until("Approval mode (");
	second.type("2");
	await second.until("Approval mode ask:");
	await tau.until(/· ask/);
	second.type("/label\r");
	await second.until("Label for this point");
	second.type("here\r");
	await second.until('Labeled "here".');
	second.type("/fork\r");
	await second.until(/── Fork the session[^]*The whole session/);
	second.press("down", "enter");
	// The message is back in the editor of whoever has chosen it.
	await second.untilGone("First answer.");
	await second.until(/─+\n hello/);
});

test("a client in lines of text runs commands, and answers their questions", async () => {
	await using tau = await openTau({ steps: ["First answer."] });
	await tau.until("played-1");
	tau.type("hello\r");
	await tau.until("First answer.");
	await using client = attach(tau.home);
	await client.until("First answer.");
	client.send("/name by line");
	await client.until('Session renamed to "by line".');
	client.send("/mode");
	await client.until("2. ask");
	client.send("2");
	await client.until("Approval mode ask:");
	await tau.until(/· ask/);
	client.send("/nam");
	await client.until("! Unknown command /nam. Did you mean /name");
});

test("a template of the project is a command of the joined terminal", async () => {
	await using tau = await openTau({ steps: ["First answer.", "Cleaned."] });
	await tau.until("played-1");
	writeFileSync(join(tau.home.agentDir, "AGENTS.md"), "");
	tau.type("hello\r");
	await tau.until("First answer.");
	await using second = joined(tau);
	await second.until("First answer.");
	second.type("/init\r");
	await second.until("Cleaned.");
	await tau.until("Cleaned.");
	expect(tau.home.played.requests.at(-1)?.rawBody).toContain("AGENTS.md");
});
