/** Slash commands of a user, from the first letter to their effects. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playOAuth } from "@tau/ai/testing";

import { fakeBrowser } from "../support/browser.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

/** The only one there is. */
function sessionFile({ agentDir }: Launched): string {
	const sessions = join(agentDir, "sessions");
	const names = readdirSync(sessions, { recursive: true }).map(String);
	return join(sessions, names.find((name) => name.endsWith(".jsonl")) ?? "none");
}

test("/compact: the conversation is summarized, the model continues with the summary, and the file keeps it all", async () => {
	const summary = "They spoke of colors.";
	await using tau = await openTau(
		{ steps: ["The sky is blue.", "Grass is green.", summary, "Yes, of colors."] },
		{ settings: "compaction:\n  keepRecentTokens: 1\n" },
	);
	await tau.until("played-1");
	tau.type("tell me of the sky\r");
	await tau.until("The sky is blue.");
	tau.type("tell me of grass\r");
	await tau.until("Grass is green.");
	tau.type("/compact mind the colors\r");
	await tau.until("compacted from");
	const { requests } = tau.home.played;
	expect(requests[2]?.rawBody).toContain("mind the colors");
	tau.type("do you remember\r");
	await tau.until("Yes, of colors.");
	const sent = requests.at(-1)?.rawBody ?? "";
	// The user's own words stay, the answers do not.
	expect([summary, "tell me of the sky", "The sky is blue."].map((text) => sent.includes(text))).toEqual([
		true,
		true,
		false,
	]);
	expect(readFileSync(sessionFile(tau.home), "utf8")).toContain("The sky is blue.");
});

test("/dump: the conversation is in the clipboard, as Markdown", async () => {
	await using home = await launch({ steps: ["The sky is **blue**."] });
	const bin = join(home.home, "bin");
	mkdirSync(bin);
	writeFileSync(join(bin, "wl-copy"), `#!/bin/sh\ncat > "${bin}/copied"\n`);
	chmodSync(join(bin, "wl-copy"), 0o755);
	const env = { PATH: `${bin}:${home.env["PATH"]}`, WAYLAND_DISPLAY: "wayland-0" };
	await using tau = await openTau({ steps: [] }, { home, env });
	await tau.until("played-1");
	tau.type("/dump\r");
	await tau.until("Nothing to copy yet.");
	tau.type("tell me of the sky\r");
	await tau.until("The sky is blue.");
	tau.type("/dump\r");
	await tau.until("Copied the conversation.");
	const copied = readFileSync(join(bin, "copied"), "utf8");
	expect(copied).toContain("tell me of the sky");
	expect(copied).toContain("The sky is **blue**.");
});

test("/changelog: shows what has changed, also in the compiled program", async () => {
	await using tau = await openTau({ steps: [] }, { rows: 200 });
	await tau.until("played-1");
	tau.type("/changelog\r");
	await tau.until("What has changed");
	await tau.until("All packages share one version.");
});

test("/share of an empty session says that there is nothing to share", async () => {
	await using tau = await openTau({ steps: [] });
	await tau.until("played-1");
	tau.type("/share\r");
	await tau.until("Nothing to share yet.");
});

test("/login: a browser logs in over a local server, and the models are available", async () => {
	await using home = await launch({ steps: [] });
	await using server = playOAuth("anthropic");
	await using tau = await openTau({ steps: [] }, { home, env: { ...server.env, ...fakeBrowser(home) } });
	await tau.until("played-1");
	tau.type("/login anthropic\r");
	await tau.until("Logged in to Anthropic");
	// A selected model stays; the others are available.
	await tau.until(/── Model[^]*played-1/);
	await tau.until("anthropic is available");
	tau.press("escape", "escape");
	await tau.untilGone("── Model");
	tau.type("/logout anthropic\r");
	await tau.until("Removed the");
});

describe("/rewind", () => {
	test("and Escape twice remove the last message", async () => {
		await using tau = await openTau({ steps: ["A is red.", "B is blue.", "C is green."] });
		await tau.until("played-1");
		tau.type("/rewind\r");
		await tau.until("No messages yet.");
		tau.type("tell me of A\r");
		await tau.until("A is red.");
		tau.type("tell me of B\r");
		await tau.until("B is blue.");
		tau.press("escape");
		tau.press("escape");
		await tau.until("Rewind to before a message");
		tau.press("enter");
		await tau.untilGone("B is blue.");
		await tau.until("tell me of B");
		tau.type("\x15tell me of C\r");
		await tau.until("C is green.");
		const sent = tau.home.played.requests.at(-1)?.rawBody ?? "";
		expect([sent.includes("tell me of A"), sent.includes("tell me of B")]).toEqual([true, false]);
		// The abandoned branch is still paid for, and still stored.
		tau.type("/cost\r");
		await tau.until("played/played-1 ×3");
		tau.type("/tree\r");
		await tau.until("├─ user: tell me of B");
	});
});

test("/cost: a resumed session shows the cost of all its branches", async () => {
	await using home = await launch({ steps: ["A is red.", "B is blue.", "C is green."] });
	{
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("tell me of A\r");
		await tau.until("A is red.");
		tau.type("/rewind\r");
		await tau.until("Rewind to before a message");
		tau.press("enter");
		await tau.untilGone("A is red.");
		tau.type("\x15tell me of B\r");
		await tau.until("B is blue.");
		tau.press("ctrlD");
		await tau.exited;
	}
	await using tau = await openTau({ steps: [] }, { home, args: ["-c"] });
	await tau.until("B is blue.");
	tau.type("/cost\r");
	await tau.until("played/played-1 ×2");
});

describe("/fork of the whole session", () => {
	const guard = `export default (pi) => pi.on("session_before_fork", ({ position }, ctx) => {
		ctx.ui.notify("asked about " + position);
		return { cancel: true };
	});`;

	test("asks extensions, and is cancelled if one says no", async () => {
		await using home = await launch({ steps: ["A is red."] });
		mkdirSync(join(home.project, ".tau/extensions"), { recursive: true });
		writeFileSync(join(home.project, ".tau/extensions/guard.ts"), guard);
		await using tau = await openTau({ steps: [] }, { home, args: ["--trust"] });
		await tau.until("played-1");
		tau.type("tell me of A\r");
		await tau.until("A is red.");
		tau.type("/fork\r");
		await tau.until("❯ The whole session");
		tau.press("enter");
		await tau.until("Cancelled by an extension.");
		tau.press("escape");
		await tau.until("asked about at");
		expect(tau.scrollback()).not.toContain("Forked. The original session is unchanged");
	});
});

describe("/trust", () => {
	const loud = `export default (pi) => { pi.on("session_start", (_event, ctx) => ctx.ui.notify("the extension runs")); };`;

	const trusted = ({ agentDir }: Launched): unknown =>
		existsSync(join(agentDir, "trust.json"))
			? JSON.parse(readFileSync(join(agentDir, "trust.json"), "utf8"))
			: undefined;

	test("shows, grants and revokes, and each takes effect at once", async () => {
		await using home = await launch({ steps: ["Still here."] });
		mkdirSync(join(home.project, ".tau/extensions"), { recursive: true });
		writeFileSync(join(home.project, ".tau/extensions/loud.ts"), loud);
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("❯ Not now");
		tau.press("escape");
		await tau.until("did not run");
		tau.type("/trust\r");
		await tau.until("is not trusted yet");
		tau.press("down", "down", "enter");
		await tau.until("the extension runs");
		await tau.until("project is trusted.");
		expect(trusted(home)).toMatchObject({ projects: { [home.project]: true } });
		tau.type("/trust no\r");
		await tau.until("project is not trusted.");
		expect(tau.screen()).not.toContain("the extension runs");
		expect(trusted(home)).toEqual({ projects: { [home.project]: false } });
		tau.type("/trust ask\r");
		await tau.until("is not trusted yet");
		expect(trusted(home)).toEqual({ projects: {} });
		tau.type("/trust maybe\r");
		await tau.until("Usage: /trust yes|no|ask");
		tau.type("hello\r");
		await tau.until("Still here.");
	});

	test("decides whether the project's SYSTEM.md is used, from the next prompt on", async () => {
		await using home = await launch({ steps: ["One.", "Two.", "Three."] });
		mkdirSync(join(home.project, ".tau"));
		writeFileSync(join(home.project, ".tau/SYSTEM.md"), "Speak in rhymes.");
		const counts = (): boolean => home.played.requests.at(-1)?.rawBody.includes("Speak in rhymes.") ?? false;
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("Not used, because the project is not trusted");
		tau.type("hello\r");
		await tau.until("One.");
		expect(counts()).toBe(false);
		tau.type("/trust yes\r");
		await tau.until("project is trusted.");
		tau.type("hello\r");
		await tau.until("Two.");
		expect(counts()).toBe(true);
		tau.type("/trust no\r");
		await tau.until("project is not trusted.");
		tau.type("hello\r");
		await tau.until("Three.");
		expect(counts()).toBe(false);
	});
});

test("/debug: lists what was loaded, how long it took, and what was found", async () => {
	await using home = await launch({ steps: [] });
	mkdirSync(join(home.project, ".tau/extensions"), { recursive: true });
	writeFileSync(join(home.project, ".tau/extensions/quiet.ts"), "export default () => {};");
	writeFileSync(join(home.project, ".tau/extensions/broken.ts"), "export default 5;");
	mkdirSync(join(home.project, ".claude/skills/pdf"), { recursive: true });
	writeFileSync(
		join(home.project, ".claude/skills/pdf/SKILL.md"),
		"---\nname: pdf\ndescription: Reads PDFs.\n---\nBody.",
	);
	await using tau = await openTau({ steps: [] }, { home, args: ["--trust"], rows: 50, cols: 120 });
	await tau.until("played-1");
	tau.type("/debug\r");
	await tau.until(/quiet\.ts loaded in \d+\.\d ms/);
	expect(tau.screen()).toMatch(/broken\.ts was not loaded/);
	expect(tau.screen()).toMatch(/found +.*Skills 1/);
});

test("-c: a session of a later version is not written to", async () => {
	await using home = await launch({ steps: ["A is red."] });
	await home.run(["-p", "hi", "--model", "played/played-1"]);
	const path = sessionFile(home);
	writeFileSync(path, readFileSync(path, "utf8").replace('"version":3', '"version":9'));
	const before = readFileSync(path, "utf8");
	const { code, err } = await home.run(["-c", "-p", "go on", "--model", "played/played-1"]);
	expect(code).toBe(2);
	expect(err).toContain("newer version of Tau or pi (format 9)");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("/resume\r");
	await tau.until("── Sessions");
	await tau.until("hi");
	tau.press("enter");
	await tau.until("newer version of Tau or pi");
	tau.press("escape");
	expect(readFileSync(path, "utf8")).toBe(before);
});
