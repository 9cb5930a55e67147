/** `-r` asks a user for the session, and tells a program what to use instead; `-c` continues that of the terminal. */
import { describe, expect, test } from "bun:test";

import { atTerminal } from "../login/terminal.ts";
import { launch } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

describe("at a terminal", () => {
	test("the session is selected by its number, and the conversation continues", async () => {
		await using tau = await launch({ steps: ["About cats.", "About dogs.", "As I said, cats."] });
		await tau.run(["-p", "tell me of cats", ...model]);
		await tau.run(["-p", "tell me of dogs", ...model]);
		const terminal = atTerminal(tau, ["-p", "go on", "-r", ...model]);
		await terminal.until(/1 {2}.*dogs[\s\S]*2 {2}.*cats[\s\S]*Which session\? \[1\] /);
		terminal.type("7\r");
		await terminal.until(/No session matches "7"/);
		terminal.type("2\r");
		await terminal.until(/As I said, cats\./);
		expect(await terminal.exited).toBe(0);
		expect(tau.played.requests[2]?.rawBody).toMatch(/tell me of cats.*About cats.*go on/);
	});

	test("leaving without a selection ends it", async () => {
		await using tau = await launch({ steps: ["One."] });
		await tau.run(["-p", "hi", ...model]);
		const terminal = atTerminal(tau, ["-p", "go on", "-r", ...model]);
		await terminal.until(/Which session/);
		terminal.type("\u0004");
		expect(await terminal.exited).toBe(130);
	});
});

test("without a user it says what to use, and does not ask", async () => {
	await using tau = await launch({ steps: ["One."] });
	await tau.run(["-p", "hi", ...model]);
	const { code, err } = await tau.run(["-p", "go on", "-r", ...model]);
	expect(code).toBe(2);
	expect(err).toContain("Use --session <id> or -c");
	expect(tau.played.requests).toHaveLength(1);
});

test("without sessions it says so", async () => {
	await using tau = await launch({ steps: [] });
	const terminal = atTerminal(tau, ["-p", "go on", "-r", ...model]);
	await terminal.until(/No sessions in this directory yet/);
	expect(await terminal.exited).toBe(2);
});

test("it excludes the other ways to select a session", async () => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run(["-p", "x", "-r", "-c", ...model]);
	expect(code).toBe(2);
	expect(err).toContain("cannot be combined");
});

test("-c continues the session of this terminal, and in an unknown one the latest", async () => {
	await using tau = await launch({ steps: ["About cats.", "About dogs.", "Cats.", "More."] });
	const inPane = async (pane: string, ...args: string[]): Promise<void> => {
		expect(await atTerminal(tau, [...args, ...model], { TMUX_PANE: pane }).exited).toBe(0);
	};
	await inPane("%1", "-p", "tell me of cats");
	await inPane("%2", "-p", "tell me of dogs");
	await inPane("%1", "-p", "-c", "go on");
	await inPane("%3", "-p", "-c", "go on");
	const [, , ofPane, latest] = tau.played.requests.map(({ rawBody }) => rawBody);
	expect(ofPane).toContain("tell me of cats");
	expect(latest).toMatch(/tell me of cats.*Cats\./);
});
