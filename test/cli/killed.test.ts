/** After `kill -9` of Tau, or the OOM killer: no process that it started keeps running, and no temporary directory stays. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch, type Launched, type Running } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

let temporary = "";
beforeEach(() => void (temporary = mkdtempSync(join(tmpdir(), "tau-killed-"))));
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

const step = (name: string, args: Record<string, unknown>): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});
const bash = (command: string, more: Record<string, unknown> = {}) => step("bash", { command, ...more });

/** The processes whose environment contains a text. A zombie has none. */
function processesWith(text: string): number[] {
	const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
	return pids.filter((pid) => readProc(pid, "environ").includes(text));
}

/** The command lines of the processes with a text in their environment. */
function commandsWith(text: string): string[] {
	return processesWith(text).map((pid) => readProc(pid, "cmdline").replaceAll("\0", " ").trim());
}

function hasWatcher(parent: number): boolean {
	const children = readProc(parent, `task/${parent}/children`).split(" ").filter(Boolean).map(Number);
	return children.some((pid) => readProc(pid, "cmdline").includes("tau-watcher"));
}

function readProc(pid: number, file: string): string {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "latin1");
	} catch {
		// It ended meanwhile.
		return "";
	}
}

async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(10);
	}
}

function writeFixture(tau: Launched, path: string, content: string): void {
	const file = join(tau.home, "..", path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, content);
}

interface Kind {
	steps?: Scenario["steps"];
	args?: string[];
	prepare?(tau: Launched): void;
	/** For a program that is controlled by its input. */
	input?: string;
	/** What is running when Tau is killed. */
	running: RegExp[];
}

const hooks = {
	hooks: { PreToolUse: [{ matcher: "", hooks: [{ type: "command", command: "sleep 301" }] }] },
};
const extension = `export default (pi) => pi.on("session_start", () => void pi.exec("sleep", ["301"]));`;

/** Only the watcher of the Tau that runs this command. A killed one is there until Tau has noticed. */
function toWatcher(signal: string): string {
	const children = "$(cat /proc/$PPID/task/$PPID/children)";
	const send =
		signal === "KILL" ? "while kill -KILL $p 2>/dev/null; do sleep 0.01; done" : `kill -${signal} $p`;
	return `for p in ${children}; do case $(tr '\\0' ' ' </proc/$p/cmdline) in *' tau-watcher '*) ${send}; esac; done`;
}

const kinds: Record<string, Kind> = {
	"a command with its children": {
		steps: [bash("trap '' TERM; (trap '' TERM; sleep 302; sleep 303) & sleep 301")],
		running: [/^sleep 301$/, /^sleep 302$/],
	},
	"a background process of an earlier command": {
		steps: [bash("sleep 301 & setsid sleep 302 & nohup sleep 303 >/dev/null 2>&1 &"), bash("sleep 304")],
		running: [/^sleep 301$/, /^sleep 302$/, /^sleep 303$/, /^sleep 304$/],
	},
	"a command after one that killed the watcher": {
		steps: [bash(toWatcher("KILL")), bash("sleep 301")],
		running: [/^sleep 301$/],
	},
	"a command that killed the watcher while it ran": {
		steps: [bash(`${toWatcher("KILL")}; sleep 301`)],
		running: [/^sleep 301$/],
	},
	"a command after one that stopped the watcher": {
		steps: [bash(toWatcher("STOP")), bash("sleep 301")],
		running: [/^sleep 301$/],
	},
	"a job": {
		steps: [bash("sleep 301", { async: true }), bash("sleep 302")],
		running: [/^sleep 301$/, /^sleep 302$/],
	},
	"a command in a terminal": {
		steps: [bash("sleep 301; true", { pty: true, async: true }), bash("sleep 302")],
		running: [/^sleep 301$/, /^sleep 302$/],
	},
	"a command of the user": {
		args: ["--mode", "rpc"],
		input: `${JSON.stringify({ type: "bash", command: "sleep 301; true" })}\n`,
		running: [/^sleep 301$/],
	},
	"a hook": {
		steps: [bash("true")],
		prepare: (tau) => writeFixture(tau, "home/.claude/settings.json", JSON.stringify(hooks)),
		running: [/^sleep 301$/],
	},
	"a program of an extension": {
		args: ["--mode", "rpc"],
		// An input that stays open: Tau ends with it.
		input: "",
		prepare: (tau) => writeFixture(tau, "home/.tau/agent/extensions/sleeps.ts", extension),
		running: [/^\S+\/sleep 301$/],
	},
	"a search": {
		steps: [step("grep", { pattern: "x" })],
		// A newer ripgrep on PATH is preferred.
		prepare: (tau) => {
			writeFixture(
				tau,
				"bin/rg",
				'#!/bin/sh\n[ "$1" = --version ] && echo ripgrep 999.0.0 || exec sleep 301\n',
			);
			chmodSync(join(tau.home, "../bin/rg"), 0o755);
		},
		running: [/^sleep 301$/],
	},
};

describe("ends", () => {
	test.each(Object.entries(kinds))("%s", async (_name, kind) => {
		await using tau = await launch({ steps: kind.steps ?? [] });
		kind.prepare?.(tau);
		const marker = `room-${crypto.randomUUID()}`;
		const path = `${join(tau.home, "../bin")}:${process.env.PATH}`;
		const env = { TMPDIR: temporary, TAU_TEST_MARKER: marker, PATH: path };
		const args = kind.args ?? ["-p", "--no-session", "go"];
		const running: Running = tau.start([...args, ...model], {
			env,
			stdin: kind.input === undefined ? "ignore" : "pipe",
		});
		const { stdin, pid } = running.process;
		if (kind.input !== undefined && typeof stdin === "object") {
			stdin.write(kind.input);
			await stdin.flush();
		}
		await until(`it runs: ${kind.running.join(", ")}`, () => {
			const commands = commandsWith(marker);
			return kind.running.every((pattern) => commands.some((command) => pattern.test(command)));
		});
		await until("it has a watcher", () => hasWatcher(pid));
		running.process.kill("SIGKILL");
		await running.process.exited;
		await until("its processes are gone", () => processesWith(marker).length === 0);
		await until("its temporary directories are gone", () => own(temporary).length === 0);
		expect(own(tmpdir()).filter((name) => name.includes(`-${pid}-`))).toEqual([]);
	});
});

test("the next Tau deletes the directories that a watcher could not, and spares those of a living process", async () => {
	await using tau = await launch({ steps: [bash("sleep 301"), bash("true"), "Done."] });
	const env = { TMPDIR: temporary };
	const running = tau.start(["-p", "--mode", "json", "go", ...model], { env });
	await until("a directory is there", () => own(temporary).length > 0);
	const [name = ""] = own(temporary);
	const left = name.replace(/-\d+-/, "-4194303-").replace(/.{6}$/, "abcdef");
	mkdirSync(join(temporary, left));
	expect((await tau.run(["-p", "go", ...model], { env })).out).toBe("Done.\n");
	expect(own(temporary)).toEqual([name]);
	running.process.kill("SIGTERM");
	await running.finished;
	expect(own(temporary)).toEqual([]);
});

function own(parent: string): string[] {
	return readdirSync(parent).filter((name) => /^tau-(?:shell|session|edit)-/.test(name));
}
