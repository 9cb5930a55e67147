/** Attempts to leave the sandbox, run for real: none changes, reads or reaches anything outside. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { listProcesses } from "@tau/sys";
import { runAsUser } from "./testing/as-user.ts";
import { escapeFixture, noTargets, type EscapeFixture } from "./testing/escape-fixture.ts";
import { daemonSeconds, escapes } from "./testing/escapes.ts";
import { neededPrograms } from "./testing/sandbox-fixture.ts";

const attempt = needs(...neededPrograms, "perl", "git");
const names = escapes(noTargets).map(({ name }) => name);
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
	expect(text).not.toContain("ESCAPED");
	expect(text).not.toContain(secret);
	expect(text).toMatch(escape.refused);
	// A shell that starts now reads the state that the attempt left.
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
	120_000,
);

test("there are at least sixty attempts", () => {
	expect(new Set(names).size).toBeGreaterThanOrEqual(60);
});

attempt("no process of the sandbox outlives it", async () => {
	await fixture?.box[Symbol.asyncDispose]();
	const left = listProcesses().filter(({ pid }) => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(`sleep\u0000${daemonSeconds}`);
		} catch {
			return false;
		}
	});
	expect(left).toEqual([]);
});
