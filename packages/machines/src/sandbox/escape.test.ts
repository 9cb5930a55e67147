/** Attempts to leave the sandbox, run for real: none changes, reads or reaches anything outside. */
// takes 10 s
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { some } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { listProcesses } from "@tau/sys";
import { runAsUser } from "./testing/as-user.ts";
import { escapeFixture, noTargets, type EscapeFixture } from "./testing/escape-fixture.ts";
import { daemonSeconds, escapes } from "./testing/escapes.ts";
import { neededPrograms } from "./testing/sandbox-fixture.ts";

const attempt = needs(...neededPrograms, "perl", "git");
const names = escapes(noTargets).map(({ name }) => name);
/** Attempts after which another shell starts, and reads the state that they left: those at the state, and some others. */
const withNextShell = new Set([...some(names), ...names.filter((name) => /shell|order/.test(name))]);

let fixture: EscapeFixture | undefined;
let before: unknown;

beforeAll(async () => {
	if ([...neededPrograms, "git"].some((program) => Bun.which(program) === null)) return;
	fixture = await escapeFixture();
	before = fixture.state();
});

afterAll(async () => {
	await fixture?.[Symbol.asyncDispose]();
});

describe("an attempt to leave the sandbox fails", () => {
	for (const [index, name] of names.entries()) attempt(name, () => tryEscape(index));
});

async function tryEscape(index: number): Promise<void> {
	if (!fixture) throw new Error("There is no sandbox.");
	const { box, secret, state, targets } = fixture;
	const escape = escapes(targets)[index];
	if (!escape) throw new Error("There is no such attempt.");
	const { text } = await box.run(escape.command);
	// Only an attempt that prints the mark: the command lines of other tests contain it, too.
	if (escape.command.includes("ESCAPED")) expect(text).not.toContain("ESCAPED");
	expect(text).not.toContain(secret);
	expect(text).toMatch(escape.refused);
	expect(state()).toEqual(before);
	if (!withNextShell.has(escape.name)) return;
	const { text: next } = await box.run("set; echo x", { beside: true });
	expect(next).not.toContain(secret);
	expect(state()).toEqual(before);
}

const asUser = needs("root", ...neededPrograms, "setpriv");

asUser(
	"all attempts fail for a user without rights, too",
	async () => {
		const { code, report } = await runAsUser(import.meta.path);
		expect(report).not.toContain("(fail)");
		expect(report).toMatch(new RegExp(`${names.length + 2} pass`));
		expect(code).toBe(0);
	},
	180_000,
);

test("there are at least sixty attempts", () => {
	expect(new Set(names).size).toBeGreaterThanOrEqual(60);
});

attempt("no process of the sandbox outlives it", async () => {
	if (!fixture) throw new Error("There is no sandbox.");
	await fixture.box[Symbol.asyncDispose]();
	const mark = `sleep\u0000${daemonSeconds(fixture.targets)}`;
	const left = listProcesses().filter(({ pid }) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(mark);
		} catch {
			return false;
		}
	});
	expect(left).toEqual([]);
});
