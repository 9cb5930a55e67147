/** How third-party extensions use the screen, at 80x24: games, overlays, pickers, footers, tool renderers. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { needs } from "../../../support/needs.ts";
import { openTau, type OpenTau } from "../../../interactive/driver.ts";
import { launch } from "../../../support/launch.ts";
import { callOf, loading, toolsOf } from "../run-extensions.ts";
import { isRunning } from "../../../support/processes.ts";

const folder = join(import.meta.dir, "fixtures");

async function atScreen(scenario: Scenario, ...names: string[]): Promise<OpenTau> {
	const tau = await openTau(scenario, { args: loading(folder, names) });
	await tau.until("played-1");
	return tau;
}

/** Types the command and sends it, without the menu in between. */
function say(tau: OpenTau, text: string): void {
	tau.type(`${text} \r`);
}

/** The editor has focus again, and the overlay is gone. */
async function isBack(tau: OpenTau, ...gone: (string | RegExp)[]): Promise<void> {
	for (const each of gone) await tau.untilGone(each);
	tau.type("back-again");
	await tau.until(/^ ?back-again/m);
	// Ctrl+U, not Ctrl+C: two of those end the program.
	tau.type("\x15");
	await tau.untilGone("back-again");
}

test("animations continue, can be stopped, and a game returns the focus", async () => {
	await using tau = await atScreen({ steps: [] }, "timer-widget.ts", "snake.ts", "banner.ts");
	await tau.until("▛▀▜ ▛▀▜");
	await tau.until(/a banner, v\d+/);
	say(tau, "/tick");
	await tau.until("● tick 3");
	await tau.until(/tock/);
	say(tau, "/snake");
	await tau.until("SNAKE  Score: 0");
	tau.press("up", "up");
	await tau.until("Score: 2");
	tau.type("p");
	await tau.until("PAUSED");
	tau.type("p");
	await tau.untilGone("PAUSED");
	tau.resize({ cols: 60, rows: 20 });
	await tau.until("Score: 2");
	tau.resize({ cols: 80, rows: 24 });
	tau.press("escape");
	await tau.until("scored 2");
	say(tau, "/tick off");
	await isBack(tau, "● tick", "SNAKE");
	say(tau, "/snake");
	await tau.until("SNAKE  Score: 2");
	tau.type("q");
	await isBack(tau, "SNAKE");
});

test("overlays: a program's output, an answer streaming beside the conversation, and one by the TUI itself", async () => {
	await using tau = await atScreen(
		{ steps: ["Some **bold** words\n\n- and a list"] },
		"overlay-shell.ts",
		"side-question.ts",
		"tui-kept.ts",
	);
	say(tau, "/overlay echo from-the-shell; read line; echo got-$line; sleep 60");
	await tau.until("│from-the-shell");
	expect(tau.screen()).toMatch(/^.{16}╭─{46}╮/m);
	tau.type("typed\r");
	await tau.until("got-typed");
	tau.press("escape");
	await tau.until(/overlay left, handle function, pid \d+/);
	const pid = Number(/pid (\d+)/.exec(tau.screen())?.[1]);
	await tau.untilFiles(() => !isRunning(pid));
	await isBack(tau, "╭─");
	say(tau, "/aside what is it?");
	await tau.until("Aside: what is it?");
	await tau.until("Some bold words");
	await tau.until("• and a list");
	expect(tau.home.played.requests[0]?.rawBody).toContain("Answer briefly.");
	tau.press("escape");
	await isBack(tau, "esc closes");
	say(tau, "/float");
	await tau.until("FLOATS over 80x24");
	tau.press("escape");
	await tau.until("landed");
	await isBack(tau, "FLOATS");
});

test("forms: tabs of questions with an editor, a settings list, and a filtered picker", async () => {
	await using tau = await atScreen(
		{ steps: ["Ok."] },
		"questionnaire.ts",
		"tools-list.ts",
		"fuzzy-picker.ts",
		"tag-complete.ts",
	);
	say(tau, "/ask");
	await tau.until("Which size?");
	tau.press("down", "enter");
	await tau.until("And why?");
	tau.press("down", "enter");
	tau.type("just so");
	await tau.until("just so");
	tau.press("enter");
	await tau.until("size=large why=just so");
	say(tau, "/switches");
	await tau.until("Tool Configuration");
	await tau.until(/❯ read +enabled/);
	tau.type(" ");
	await tau.until(/❯ read +disabled/);
	tau.press("escape");
	await isBack(tau, "Tool Configuration");
	tau.type("\x1bk");
	await tau.until("Pick a file");
	tau.type("gm");
	await tau.until(/gamma\.md +about gamma\.md/);
	await tau.untilGone("alpha.ts");
	tau.press("enter");
	await tau.untilGone("Pick a file");
	await tau.until(/^ ?@gamma\.md/m);
	tau.type("and #roo");
	await tau.until("roof leaks");
	tau.press("tab");
	await tau.until("and #101");
	tau.press("enter");
	await tau.until("Ok.");
	expect(toolsOf(tau.home, 0)).toContain("write");
	expect(toolsOf(tau.home, 0)).not.toContain("read");
	expect(tau.home.played.requests[0]?.rawBody).toContain("and #101");
});

needs("git")(
	"around the conversation: a footer with git state, raw keys, notifications, and a tool renderer",
	async () => {
		const home = await launch({ steps: [callOf("bake", { loaves: 3 }), "Enjoy."] });
		await using _home = home;
		Bun.spawnSync(["git", "init", "-q", "-b", "trunk"], { cwd: home.project });
		writeFileSync(join(home.project, "new.txt"), "");
		const names = ["git-footer.ts", "key-watch.ts", "osc-notify.ts", "tool-view.ts", "banner.ts"];
		await using tau = await openTau({ steps: [] }, { home, args: loading(folder, names) });
		await tau.until(/ trunk ±1 +mood:fine/);
		tau.type("\x1bz");
		await tau.until("keys:chord 1");
		tau.type("a § here");
		await tau.until("a paragraph here");
		tau.press("enter");
		await tau.until("Enjoy.");
		expect(tau.screen()).toMatch(/^ bake 3 loaves$/m);
		expect(tau.screen()).toMatch(/^ ✓ baked 3 warm$/m);
		expect(tau.screen()).toMatch(/\(.*for the recipe\)/);
		await tau.untilDrawn(() => tau.title === "π idle", "had the title");
		await tau.untilDrawn(() => tau.bytes.includes("\x1b]777;notify;Pi;Ready for input\x07"), "notified");
		expect(tau.bytes).toContain("\x1b]99;i=1:p=body;Ready\x1b\\");
		tau.press("ctrlO");
		await tau.until("flour, water, salt");
		say(tau, "/unwatch");
		await tau.until("keys are free");
		tau.type("§");
		await tau.until(/^ ?§/m);
		expect(tau.screen()).not.toContain("wrote to the terminal");
	},
);

test("every pattern is loaded by a test here", () => {
	const source = readFileSync(import.meta.path, "utf8");
	expect(readdirSync(folder).filter((name) => !source.includes(`"${name}"`))).toEqual([]);
});
