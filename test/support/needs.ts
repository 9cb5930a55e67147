/** Lets a test stand aside, with the reason in its name, where a program that it needs is missing. */
import { test } from "bun:test";

type Body = () => void | Promise<unknown>;
type Promised = (name: string, body: Body, timeoutMs?: number) => void;

/** `needs("tmux")("a resize keeps the prompt", async () => { … })` */
export function needs(...programs: string[]): Promised {
	const missing = programs.filter((program) => Bun.which(program) === null);
	if (missing.length === 0) return (name, body, timeoutMs) => test(name, body, timeoutMs);
	const reason = `needs ${missing.join(" and ")}, which is not on PATH`;
	return (name, body, timeoutMs) => test.skip(`${name} (${reason})`, body, timeoutMs);
}
