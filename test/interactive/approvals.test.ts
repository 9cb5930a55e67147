/** Approvals on the screen of the real program: what is shown, what the choices do, and that nothing else can answer. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

function call(name: string, args: Record<string, unknown>) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

const run = (command: string) => call("bash", { command });

const isMade = (tau: OpenTau, name: string): boolean => existsSync(join(tau.home.project, name));

/** What the model was sent last. */
function lastRequest(tau: OpenTau): string {
	return tau.home.played.requests.at(-1)?.rawBody ?? "";
}

/** The played model is so fast that the question meets the keys of the prompt, and waits for its own key. */
async function question(tau: OpenTau, tool: string): Promise<void> {
	await tau.until(`Allow ${tool}?`);
	tau.press("ctrlX");
	await tau.until("to decline");
}

const asking = { args: ["--approval-mode", "ask"] };

describe("a command that no rule allows", () => {
	test("is shown with the reason, and runs once after a yes", async () => {
		await using tau = await openTau({ steps: [run("node -e 1; touch made"), "Done."] }, asking);
		await tau.until("played-1");
		await tau.until(" ask ");
		tau.type("go\r");
		await question(tau, "bash");
		expect(tau.screen()).toContain("node runs code");
		expect(tau.screen()).toContain("$ node -e 1; touch made");
		expect(isMade(tau, "made")).toBe(false);
		tau.type("1");
		await tau.until("Done.");
		expect(isMade(tau, "made")).toBe(true);
	});

	test("does not run after Escape, and the model reads that the user declined", async () => {
		await using tau = await openTau({ steps: [run("touch made"), "I see."] }, asking);
		await tau.until("played-1");
		tau.type("go\r");
		await question(tau, "bash");
		tau.press("escape");
		await tau.until("I see.");
		expect(isMade(tau, "made")).toBe(false);
		expect(lastRequest(tau)).toContain("The user declined bash");
		// What the model is told besides is not for the user.
		expect(tau.screen()).toContain("· Declined.");
		expect(tau.screen()).not.toContain("another way");
	});

	test("can be declined with words for the model", async () => {
		await using tau = await openTau({ steps: [run("touch made"), "I see."] }, asking);
		await tau.until("played-1");
		tau.type("go\r");
		await question(tau, "bash");
		tau.press("up", "enter");
		await tau.until("What should the model do instead?");
		tau.type("use mkdir\r");
		await tau.until("I see.");
		expect(lastRequest(tau)).toContain("says: use mkdir");
	});
});

describe("a call can be changed before it is allowed", () => {
	test("a command runs as the user leaves it, is shown so, and the model reads what ran; Escape goes back", async () => {
		await using tau = await openTau({ steps: [run("touch made"), "I see."] }, asking);
		await tau.until("played-1");
		tau.type("go\r");
		await question(tau, "bash");
		tau.press("tab");
		await tau.until("Change command of bash. It runs as you leave it.");
		tau.press("escape");
		await tau.until("to decline");
		tau.press("tab");
		await tau.until("It runs as you leave it.");
		tau.type("-here\r");
		await tau.until("I see.");
		expect(isMade(tau, "made-here")).toBe(true);
		expect(isMade(tau, "made")).toBe(false);
		expect(tau.screen()).toContain("touch made-here");
		expect(lastRequest(tau)).toContain("the user changed this call before allowing it");
		expect(lastRequest(tau)).toContain("command: touch made-here");
	});

	test("so does the text of a file", async () => {
		const written = call("write", { path: "made", content: "model" });
		await using tau = await openTau({ steps: [written, "I see."] }, asking);
		await tau.until("played-1");
		tau.type("go\r");
		await question(tau, "write");
		tau.press("tab");
		await tau.until("Change content of write.");
		tau.type(" and mine\r");
		await tau.until("I see.");
		expect(readFileSync(join(tau.home.project, "made"), "utf8")).toBe("model and mine");
	});

	test("what a rule denies does not run, whoever wrote it", async () => {
		const settings = "permissions:\n  deny: [Bash(rm:*)]\n";
		await using tau = await openTau({ steps: [run("touch made"), "I see."] }, { ...asking, settings });
		await tau.until("played-1");
		tau.type("go\r");
		await question(tau, "bash");
		tau.press("tab");
		await tau.until("It runs as you leave it.");
		tau.type(" && rm made\r");
		await tau.until("I see.");
		expect(isMade(tau, "made")).toBe(false);
		expect(lastRequest(tau)).toContain("bash was not run");
	});
});

needs("git")(
	"a yes for the session covers the shape of the command; /permissions lists it with its uses and revokes it",
	async () => {
		const steps = [run("git tag one"), run("git tag two"), "Both.", run("git tag three"), "No."];
		await using tau = await openTau({ steps }, asking);
		await tau.until("played-1");
		tau.type("!git init -q\r");
		await tau.untilFiles(() => isMade(tau, ".git"));
		tau.type("go\r");
		await question(tau, "bash");
		tau.type("2");
		await tau.until("Both.");
		tau.type("/permissions\r");
		await tau.until(/Bash\(git tag.*session.*1 use/);
		tau.press("ctrlD");
		await tau.until("No saved approvals");
		tau.press("escape");
		await tau.untilGone("No saved approvals");
		tau.type("again\r");
		await question(tau, "bash");
	},
);

test("a yes for the project is kept outside of the project, and applies to the next session", async () => {
	await using tau = await openTau({ steps: [run("node -e 1"), "One.", run("node -e 1"), "Two."] }, asking);
	await tau.until("played-1");
	tau.type("go\r");
	await question(tau, "bash");
	tau.type("3");
	await tau.until("One.");
	expect(readdirSync(join(tau.home.agentDir, "grants"))).toHaveLength(1);
	expect(readdirSync(tau.home.project)).toEqual([]);
	tau.type("/new\r");
	await tau.until("Started a new session.");
	tau.type("again\r");
	await tau.until("Two.");
});

test("an edit is shown as a diff", async () => {
	const edit = call("write", { path: "notes.txt", content: "one\nTWO\n" });
	await using tau = await openTau({ steps: [edit, "Written."] }, asking);
	writeFileSync(join(tau.home.project, "notes.txt"), "one\ntwo\n");
	await tau.until("played-1");
	tau.type("go\r");
	await question(tau, "write");
	expect(tau.screen()).toMatch(/-\s?two/);
	expect(tau.screen()).toMatch(/\+\s?TWO/);
	tau.type("1");
	await tau.until("Written.");
	expect(readFileSync(join(tau.home.project, "notes.txt"), "utf8")).toBe("one\nTWO\n");
});

test("a long command has to be seen to its end before it can be allowed, and hidden characters are shown", async () => {
	const long = Array.from({ length: 60 }, (_, at) => `echo ${at}`);
	const command = [...long, "touch \u202emade"].join("\n");
	await using tau = await openTau({ steps: [run(command), "Done."] }, asking);
	await tau.until("played-1");
	tau.type("go\r");
	await question(tau, "bash");
	expect(tau.screen()).not.toContain("> touch");
	tau.type("1");
	await tau.until("see all of it before you allow it");
	for (let pages = 0; pages < 30 && !tau.screen().includes("-62 of 62"); pages++) {
		const before = tau.screen();
		tau.type("\x1b[6~");
		await tau.untilDrawn(() => tau.screen() !== before, "scrolled");
	}
	expect(tau.screen()).toContain("> touch <U+202E>made");
	tau.type("1");
	await tau.until("Done.");
});

test("in a window that is too small for the call, it cannot be allowed", async () => {
	await using tau = await openTau({ steps: [run("touch made"), "Fine."] }, { ...asking, cols: 40, rows: 12 });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("to select");
	tau.type("1");
	await tau.until("too small");
	expect(isMade(tau, "made")).toBe(false);
	tau.resize({ cols: 80, rows: 30 });
	await tau.until("Allow bash?");
	tau.type("1");
	await tau.until("Fine.");
	expect(isMade(tau, "made")).toBe(true);
});

test("keys that were typed before the question appeared do not answer it", async () => {
	await using tau = await openTau({ steps: [run("touch made"), "Fine."] }, asking);
	await tau.until("played-1");
	tau.type("go\r1");
	await tau.until("Allow bash?");
	tau.type("111");
	await tau.until("Press 1 again to answer");
	expect(isMade(tau, "made")).toBe(false);
	tau.press("escape");
	await tau.until("Fine.");
	expect(isMade(tau, "made")).toBe(false);
});

test("shift+tab and /mode change the mode, the footer shows it, and full needs a yes", async () => {
	await using tau = await openTau(
		{ steps: [run("touch made"), "In plan.", run("touch made"), "In full."] },
		asking,
	);
	await tau.until(/· ask /);
	tau.press("shiftTab");
	await tau.until("approvals: auto");
	tau.press("shiftTab");
	await tau.until("approvals: plan");
	tau.type("go\r");
	await tau.until("In plan.");
	expect(isMade(tau, "made")).toBe(false);
	expect(lastRequest(tau)).toContain("plan mode, which is read-only");
	tau.type("/mode full\r");
	await tau.until("No questions, no sandbox.");
	// A stray Enter says no.
	expect(tau.screen()).toMatch(/❯ (?:2\. )?No/);
	tau.press("enter");
	await tau.until("Ask anything");
	expect(tau.screen()).not.toContain("full access");
	tau.type("/mode full\r");
	await tau.until("No questions, no sandbox.");
	tau.type("1");
	await tau.until(/· full access/);
	tau.type("go\r");
	await tau.until("In full.");
	expect(isMade(tau, "made")).toBe(true);
});

test("the keymap preset of Claude Code swaps the keys of the mode and of the thinking level", async () => {
	await using tau = await openTau({ steps: [] }, asking);
	writeFileSync(join(tau.home.agentDir, "keybindings.yml"), "preset: claude\n");
	await tau.until(/· ask /);
	tau.type("/reload\r");
	await tau.until("Reloaded");
	tau.press("shiftTab");
	await tau.until("approvals: auto");
});

test("no overlay covers the call that a key would allow", async () => {
	const extension = `export default (pi) => pi.on("session_start", (_, ctx) => {
		const rows = Array.from({ length: 40 }, () => "COVERED ".repeat(20));
		void ctx.ui.custom(() => ({ render: (width) => rows.map((row) => row.slice(0, width)), invalidate() {} }), {
			overlay: true, overlayOptions: { nonCapturing: true, width: "100%", anchor: "center" },
		});
	});`;
	const home = await launch({ steps: [run("node -e 1; touch made"), "Done."] });
	const path = join(home.home, "cover.ts");
	writeFileSync(path, extension);
	await using _home = home;
	await using tau = await openTau({ steps: [] }, { home, args: [...asking.args, "-e", path] });
	await tau.until("COVERED");
	tau.type("go\r");
	while (home.played.requests.length === 0) await Bun.sleep(5);
	// Under the overlay the question waits for its own key.
	while (!tau.screen().includes("to decline")) {
		tau.press("ctrlX");
		await Bun.sleep(50);
	}
	expect(tau.screen()).toContain("$ node -e 1; touch made");
	expect(tau.screen()).not.toContain("COVERED");
	tau.type("1");
	await tau.until("COVERED");
	while (!isMade(tau, "made")) await Bun.sleep(5);
});
