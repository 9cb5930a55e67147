/** Programs that tests of the session log run as separate processes, because only a process can be killed. */
import { writeSync } from "node:fs";

import { takeLock } from "@tau/utils";

import { SessionManager } from "../session-manager.ts";
import { image, linesOf, said, shown } from "./sample.ts";

type Program = (...args: string[]) => Promise<void>;

const programs = {
	/** Opens a session, reports the result, and closes it when its standard input ends. */
	async hold(path: string) {
		const outcome = SessionManager.tryOpen(path);
		announce(outcome.ok ? "open" : outcome.reason);
		await Bun.stdin.text();
		if (outcome.ok) outcome.session[Symbol.dispose]();
	},

	/** Takes and releases a lock, again and again. */
	async lockBusily(path: string) {
		announce("ready");
		for (let count = 0; count < 2000; count++) {
			const taken = takeLock(path);
			if (taken.ok) taken.lock[Symbol.dispose]();
		}
	},

	/** Lists the sessions of a directory when its standard input ends, and reports their number. */
	async list(directory: string) {
		announce("ready");
		await Bun.stdin.text();
		announce(String((await SessionManager.list("/work", directory)).length));
	},

	/** Appends forever, and announces the id of each entry once it has it. */
	async writeBusily(path: string) {
		const session = SessionManager.open(path);
		for (let count = 0; ; count++) {
			announce(session.appendMessage(said("x".repeat((count * 997) % 5000))));
			await Bun.sleep(0);
		}
	},

	/** Appends images forever, and announces the id of each entry once it has it. */
	async showBusily(path: string) {
		const session = SessionManager.open(path);
		for (let count = 0; ; count++) {
			announce(session.appendMessage(shown(image(`${process.pid} ${count}`))));
			await Bun.sleep(0);
		}
	},

	/** Appends one image to a session when its standard input ends. */
	async showOnce(path: string) {
		announce("ready");
		await Bun.stdin.text();
		using session = SessionManager.open(path);
		announce(session.appendMessage(shown(image("the same", 200_000))));
	},

	/** Shows an image while no file may be written, has the limit lifted, and reports the session's content in the end. */
	async showTooMuch(path: string) {
		const picture = image("large", 100_000);
		using session = SessionManager.open(path);
		session.appendMessage(shown(picture));
		await Bun.spawn(["prlimit", "--pid", String(process.pid), "--fsize=unlimited"]).exited;
		session.appendMessage(said("on"));
		const line = linesOf(path).find((text) => text.includes('"image"')) ?? "";
		announce(JSON.stringify({ isInline: line.includes(picture.data), problems: session.getProblems() }));
	},

	/** Writes against a file size limit, has it lifted, and reports what was in the file in between. */
	async outgrowLimit(directory: string) {
		using session = SessionManager.create("/work", directory);
		const problems: string[] = [];
		using _problems = session.onProblem(({ kind }) => void problems.push(kind));
		const append = (count: number) => session.appendMessage(said(`${count} ${"x".repeat(3000)}`));
		for (let count = 0; count < 10; count++) append(count);
		const path = session.getSessionFile() ?? "";
		const during = linesOf(path).map((line) => typeof JSON.parse(line)).length;
		const atLimit = session.flushSync();
		await Bun.spawn(["prlimit", "--pid", String(process.pid), "--fsize=unlimited"]).exited;
		append(10);
		announce(
			JSON.stringify({ problems, during, atLimit, path, ids: session.getHeads().map(({ id }) => id) }),
		);
	},
} satisfies Record<string, Program>;

type ProgramName = keyof typeof programs;

export function startProgram(name: ProgramName, arg: string, before: readonly string[] = []) {
	return Bun.spawn([...before, process.execPath, import.meta.path], {
		env: { ...process.env, LOG_PROGRAM: name, LOG_PROGRAM_ARG: arg },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
}

/** Written synchronously: an announcement must be out before anything can happen to this process. */
function announce(line: string): void {
	writeSync(1, `${line}\n`);
}

function isProgram(name: string): name is ProgramName {
	return name in programs;
}

const { LOG_PROGRAM = "", LOG_PROGRAM_ARG = "" } = process.env;
if (import.meta.main && isProgram(LOG_PROGRAM)) await programs[LOG_PROGRAM](LOG_PROGRAM_ARG);
