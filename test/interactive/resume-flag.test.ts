/** `tau --resume` in a terminal: the list of /resume comes first, and the selected session continues. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau } from "./driver.ts";

const model = ["--model", "played/played-1"];

async function withSessions(...more: string[]): Promise<Launched> {
	const tau = await launch({ steps: ["About cats.", "About dogs.", ...more] });
	await tau.run(["-p", "tell me of cats", ...model]);
	await tau.run(["-p", "tell me of dogs", ...model]);
	return tau;
}

test("the list opens, and the selected session continues", async () => {
	await using home = await withSessions("As I said, cats.");
	await using tau = await openTau({ steps: [] }, { home, args: ["--resume"] });
	await tau.until("tell me of dogs");
	expect(tau.screen()).toContain("This directory");
	tau.type("cats");
	await tau.untilGone("tell me of dogs");
	tau.press("enter");
	await tau.untilGone("This directory");
	await tau.until("About cats.");
	tau.type("go on\r");
	await tau.until("As I said, cats.");
	expect(home.played.requests[2]?.rawBody).toMatch(/tell me of cats.*About cats.*go on/);
	expect(tau.scrollback()).not.toContain("An extension");
});

test("a prompt on the command line is sent to the selected session", async () => {
	await using home = await withSessions("As I said, dogs.");
	await using tau = await openTau({ steps: [] }, { home, args: ["-r", "go", "on"] });
	await tau.until("tell me of dogs");
	tau.press("enter");
	await tau.until("As I said, dogs.");
	expect(home.played.requests[2]?.rawBody).toMatch(/tell me of dogs.*About dogs.*go on/);
});

test("Escape exits, and says why", async () => {
	await using home = await withSessions();
	await using tau = await openTau({ steps: [] }, { home, args: ["-r"] });
	await tau.until("tell me of dogs");
	tau.press("escape");
	// It was no mistake, and a prompt that was given is not answered.
	expect(await tau.exited).toBe(130);
	expect(tau.scrollback()).toContain("tau: No session selected.");
});

test("a session that another process has open is reported, and another can be selected", async () => {
	await using home = await withSessions();
	await using first = await openTau({ steps: [] }, { home, args: ["-c"] });
	await first.until("About dogs.");
	await using tau = await openTau({ steps: [] }, { home, args: ["-r"] });
	await tau.until("tell me of dogs");
	tau.type("dogs");
	await tau.untilGone("tell me of cats");
	tau.press("enter");
	await tau.until("has the session");
	// The first Escape clears the search.
	tau.press("escape");
	await tau.until("tell me of cats");
	tau.type("cats");
	await tau.untilGone("tell me of dogs");
	tau.press("enter");
	await tau.untilGone("This directory");
	await tau.until("About cats.");
});

test("a signal ends it while the list is open", async () => {
	await using home = await withSessions();
	await using tau = await openTau({ steps: [] }, { home, args: ["-r"] });
	await tau.until("tell me of dogs");
	tau.kill("SIGTERM");
	expect(await tau.exited).toBe(143);
});

test("-c resumes the session that this terminal used last, and elsewhere the latest of the directory", async () => {
	await using home = await launch({ steps: ["About cats.", "About dogs."] });
	for (const [pane, prompt, answer] of [
		["%1", "tell me of cats", "About cats."],
		["%2", "tell me of dogs", "About dogs."],
	] as const) {
		await using tau = await openTau({ steps: [] }, { home, env: { TMUX_PANE: pane } });
		await tau.until("played-1");
		tau.type(`${prompt}\r`);
		await tau.until(answer);
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	}
	for (const [pane, resumed] of [
		["%1", "About cats."],
		["%2", "About dogs."],
		["%3", "About dogs."],
	] as const) {
		await using tau = await openTau({ steps: [] }, { home, args: ["-c"], env: { TMUX_PANE: pane } });
		await tau.until(resumed);
	}
});

needs("git")("the list shows the git branch of each session, and finds sessions by it", async () => {
	await using home = await launch({ steps: ["About cats.", "About dogs."] });
	const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: home.project, env: home.env });
	git("init", "-b", "fix/cats");
	await home.run(["-p", "tell me of cats", ...model]);
	git("checkout", "-b", "fix/dogs");
	await home.run(["-p", "tell me of dogs", ...model]);
	await using tau = await openTau({ steps: [] }, { home, args: ["-r"] });
	await tau.until(/tell me of dogs .*fix\/dogs/);
	await tau.until(/tell me of cats .*fix\/cats/);
	expect(tau.screen()).toContain("· on fix/dogs ·");
	tau.type("fix/cats");
	await tau.untilGone("tell me of dogs");
	await tau.until("· on fix/cats ·");
});

/** Writes a session as pi or omp does, and returns its file. */
function foreignSession(home: Launched, root: string, id: string, text: string): string {
	const directory = join(home.home, root, `--${home.project.slice(1).replaceAll("/", "-")}--`);
	mkdirSync(directory, { recursive: true });
	const timestamp = "2026-02-16T10:20:30.000Z";
	const content = [{ type: "text", text }];
	const lines = [
		{ type: "session", version: 3, id, timestamp, cwd: home.project },
		{
			type: "message",
			id: "aaaa0001",
			parentId: null,
			timestamp,
			message: { role: "user", content, timestamp: 1 },
		},
	];
	const file = join(directory, `2026-02-16T10-20-30-000Z_${id}.jsonl`);
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	return file;
}

test("sessions of pi and omp in this directory are in the list, continue in a copy, and stay unchanged", async () => {
	await using home = await launch({ steps: ["About birds.", "As I said, birds."] });
	const id = "0193aaaa-0000-7000-8000-000000000001";
	const pi = foreignSession(home, ".pi/agent/sessions", id, "tell me of birds");
	foreignSession(home, ".omp/agent/sessions", "0193aaaa-0000-7000-8000-000000000002", "tell me of fish");
	const before = readFileSync(pi, "utf8");
	await using tau = await openTau({ steps: [] }, { home, args: ["-r"] });
	await tau.until("(omp) tell me of fish");
	await tau.until("(pi) tell me of birds");
	tau.type("birds");
	await tau.until("of pi: continues in a copy");
	tau.press("enter");
	await tau.untilGone("This directory");
	tau.type("go on\r");
	await tau.until("About birds.");
	expect(home.played.requests[0]?.rawBody).toMatch(/tell me of birds.*go on/);
	expect(readFileSync(pi, "utf8")).toBe(before);
	tau.press("ctrlD");
	await tau.exited;
	// By its file, as omp's flag takes it.
	const { code } = await home.run(["-p", "--resume", pi, "and now?", ...model]);
	expect(code).toBe(0);
	expect(home.played.requests[1]?.rawBody).toMatch(/tell me of birds.*and now\?/);
	expect(readFileSync(pi, "utf8")).toBe(before);
});

test("--resume takes an id or a file, and names what does not exist", async () => {
	await using home = await withSessions("As I said, cats.");
	const { out } = await home.run(["sessions", "list", "--mode", "json"]);
	const ids = out
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as { id: string; firstMessage: string });
	const cats = ids.find(({ firstMessage }) => firstMessage.includes("cats"))?.id ?? "";
	const resumed = await home.run(["-p", "-r", cats, "go on", ...model]);
	expect(resumed).toMatchObject({ code: 0, out: "As I said, cats.\n" });
	expect(home.played.requests[2]?.rawBody).toMatch(/tell me of cats.*About cats.*go on/);
	const missing = await home.run(["-p", "-r", "missing.jsonl", "go on", ...model]);
	expect(missing.code).toBe(2);
	expect(missing.err).toContain('Session "missing.jsonl" not found');
});
