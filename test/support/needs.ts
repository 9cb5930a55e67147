/** Skips a test, with the reason in its name, if a program that it needs is missing. */
import { test } from "bun:test";
import { existsSync } from "node:fs";

type Body = () => void | Promise<unknown>;
type Promised = (name: string, body: Body, timeoutMs?: number) => void;

/** `needs("tmux")("a resize keeps the prompt", async () => { … })`; `"node>=24"` asks for a major version, a path for a file. */
export function needs(...programs: string[]): Promised {
	const missing = programs.filter((program) => !isThere(program));
	if (missing.length === 0) return (name, body, timeoutMs) => test(name, body, timeoutMs);
	const reason = `needs ${missing.join(" and ")}, which is not on PATH`;
	return (name, body, timeoutMs) => test.skip(`${name} (${reason})`, body, timeoutMs);
}

function isThere(wanted: string): boolean {
	if (wanted.startsWith("/")) return existsSync(wanted);
	const [program = "", major] = wanted.split(">=");
	const path = Bun.which(program);
	if (path === null || major === undefined) return path !== null;
	const { stdout } = Bun.spawnSync([path, "--version"], { stdin: "ignore", stderr: "ignore" });
	const [, found = "0"] = /(\d+)\./.exec(stdout.toString()) ?? [];
	return Number(found) >= Number(major);
}
