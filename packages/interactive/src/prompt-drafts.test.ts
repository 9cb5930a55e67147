/** An unsent draft survives whatever happens to the program. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PromptDrafts } from "./prompt-drafts.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-drafts-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const dead = (): boolean => false;

function drafts(pid: number, cwd = "/work", isAlive: (pid: number) => boolean = dead): PromptDrafts {
	return new PromptDrafts({ directory: join(home, "drafts"), cwd, pid, isAlive });
}

test("the draft of an ended process is restored once, in its directory only", () => {
	const gone = drafts(1);
	gone.set("half a thought");
	gone.flush();
	expect(drafts(2, "/elsewhere").takeLeftOver()).toBeUndefined();
	expect(drafts(2).takeLeftOver()).toBe("half a thought");
	expect(drafts(3).takeLeftOver()).toBeUndefined();
});

test("the draft of a running process is its own", () => {
	const other = drafts(1);
	other.set("mine");
	other.flush();
	expect(drafts(2, "/work", (pid) => pid === 1).takeLeftOver()).toBeUndefined();
});

test("a sent prompt leaves no draft", () => {
	using own = drafts(1);
	own.set("a prompt");
	own.flush();
	own.set("");
	own.flush();
	expect(readdirSync(join(home, "drafts"))).toEqual([]);
});

test("an unsent draft is stored on exit, readable by its owner only", () => {
	{
		using own = drafts(1);
		own.set("unsent");
	}
	const [name = ""] = readdirSync(join(home, "drafts"));
	expect(statSync(join(home, "drafts", name)).mode & 0o077).toBe(0);
	expect(drafts(2).takeLeftOver()).toBe("unsent");
});

test("no file is created for an empty draft", () => {
	using own = drafts(1);
	expect(own.takeLeftOver()).toBeUndefined();
	own.flush();
	expect(existsSync(join(home, "drafts"))).toBe(false);
});
