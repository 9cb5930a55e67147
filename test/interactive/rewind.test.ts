/** `/rewind` and `/tree` at the real program: files come back with the conversation, and never over the user's own changes. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau, type OpenTau } from "./driver.ts";
import { writeTestFile } from "../support/files.ts";
import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const bash = (command: string) => ({
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command } } }] },
});
const text = (tau: OpenTau, name: string): string | undefined => {
	const path = join(tau.home.project, name);
	return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

test("conversation and files go back together, after a preview, and redo brings the files back", async () => {
	await using home = await launch({ steps: [bash("rm notes.txt; echo new > made.txt"), "Deleted."] });
	writeFileSync(join(home.project, "notes.txt"), "precious words\n");
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("clean up\r");
	await tau.until("Deleted.");
	expect(text(tau, "notes.txt")).toBeUndefined();
	tau.type("/rewind\r");
	await tau.until(/clean up +2 files/);
	tau.press("enter");
	await tau.until("What should be restored?");
	tau.press("down", "down", "down", "enter");
	await tau.until("What restoring the files would do");
	tau.press("down", "enter");
	await tau.until("precious words");
	tau.press("escape");
	await tau.untilGone("precious words");
	tau.press("escape");
	await tau.until("What should be restored?");
	tau.press("enter");
	await tau.until("Restored 2 files");
	expect([text(tau, "notes.txt"), text(tau, "made.txt")]).toEqual(["precious words\n", undefined]);
	await tau.untilGone("Deleted.");
	expect(tau.screen()).toContain("clean up");
	tau.type("\x15/rewind redo\r");
	await tau.until("Bring back what the last rewind replaced?");
	tau.press("enter");
	await tau.untilFiles(() => text(tau, "notes.txt") === undefined && text(tau, "made.txt") === "new\n");
});

test("a file that the user edited since is not overwritten without a yes", async () => {
	await using tau = await openTau({ steps: [bash("echo one > a.txt; echo one > b.txt"), "Written."] });
	await tau.until("played-1");
	tau.type("write\r");
	await tau.until("Written.");
	writeFileSync(join(tau.home.project, "a.txt"), "my own\n");
	for (const [keys, kept] of [
		[["enter"], "my own\n"],
		[["down", "enter"], undefined],
	] as const) {
		tau.type("/rewind\r");
		await tau.until("Rewind to before a message");
		tau.press("enter");
		await tau.until("What should be restored?");
		tau.press("down", "enter");
		await tau.until("1 file has changes that restoring would lose: a.txt");
		tau.press(...keys);
		await tau.until(kept === undefined ? "Restored 1 file: a.txt" : "Not restored: a.txt");
		expect([text(tau, "a.txt"), text(tau, "b.txt")]).toEqual([kept, undefined]);
	}
});

test("moving to another branch in /tree offers the files of that branch", async () => {
	await using tau = await openTau({
		steps: [bash("echo first > a.txt"), "First way.", bash("echo second > a.txt"), "Second way."],
	});
	await tau.until("played-1");
	tau.type("write one\r");
	await tau.until("First way.");
	tau.type("/rewind\r");
	await tau.until("Rewind to before a message");
	tau.press("enter");
	await tau.until("What should be restored?");
	tau.press("enter");
	await tau.untilFiles(() => text(tau, "a.txt") === undefined);
	await tau.untilGone("First way.");
	tau.type("\x15write two\r");
	await tau.until("Second way.");
	tau.type("/tree\r");
	await tau.until("First way.");
	tau.type("First way");
	tau.press("enter");
	await tau.until("The files were different at this point. Restore them too?");
	tau.press("enter");
	await tau.untilFiles(() => text(tau, "a.txt") === "first\n");
	await tau.until("Restored 1 file: a.txt");
});

needs("git")(
	"what git still has staged of the changes that were taken back is named, and unstaged on request",
	async () => {
		await using home = await launch({
			steps: [bash("rm -rf docs && echo x > new.txt && git add -A"), "Gone."],
		});
		const git = (...args: string[]): string => {
			const identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
			return Bun.spawnSync(["git", ...identity, ...args], { cwd: home.project }).stdout.toString();
		};
		for (const name of ["a b", "c", "ü"]) writeTestFile(join(home.project, "docs", name), `${name}\n`);
		writeTestFile(join(home.project, "mine.txt"), "committed\n");
		git("init", "-q");
		git("add", "-A");
		git("commit", "-qm", "first");
		// What the user staged before is the user's.
		writeFileSync(join(home.project, "mine.txt"), "staged\n");
		git("add", "mine.txt");
		await using tau = await openTau({ steps: [] }, { home, args: ["--trust"], cols: 120 });
		await tau.until("played-1");
		tau.type("clean up\r");
		await tau.until("Gone.");
		tau.type("/rewind\r");
		await tau.until(/clean up +4 files/);
		tau.press("enter");
		await tau.until("What should be restored?");
		tau.press("enter");
		await tau.until("git still has 4 changes staged: docs/a b, docs/c, ");
		await tau.until(/Unstage them +git restore --staged/);
		tau.press("enter");
		await tau.until("Unstaged 4 files");
		expect(git("status", "--porcelain")).toBe("M  mine.txt\n");
	},
);
