/** Files that the tools cannot write or delete: extensions are called as a fallback, and their answer is the result. */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playModel } from "@tau/ai/testing";
import { callOf, extensionFixtureWith } from "../../../../test/support/extensions.ts";

const extensionFixture = extensionFixtureWith(playModel);

/** A path at which no user can create a file, not even root. */
const denied = "/sys/tau-test-file.txt";
/** In a container /sys cannot be written by anyone. */
const refused = /No permission to write|read-only/;

const fallback = (kind: "Write" | "Delete", body: string): string =>
	`export default (pi) => pi.registerFile${kind}Fallback(${body});`;

test("registerFileWriteFallback: called in order with the content to write, until one returns true", async () => {
	await using fixture = await extensionFixture(
		{ steps: [callOf("write", { path: denied, content: "kept elsewhere" }), "Ok."] },
		{
			files: {
				"a.ts": fallback("Write", `() => { throw new Error("not me"); }`),
				"b.ts": fallback(
					"Write",
					`async ({ dst, content, sessionId, cause }, ctx) => {
						ctx.ui.notify([dst, content, sessionId === ctx.sessionManager.getSessionId(), cause !== undefined].join(" "));
						return true;
					}`,
				),
			},
		},
	);
	await fixture.prompt("go");
	expect(fixture.shown).toEqual([`notify: ${denied} kept elsewhere true true`]);
	expect(fixture.request(1)).toContain("Created");
	expect(fixture.events).toContainEqual(
		expect.objectContaining({ type: "extension_error", event: "file fallback" }),
	);
});

test("registerFileWriteFallback: false leaves the error as it is, and fallbacks of an ended session are not called", async () => {
	const write = callOf("write", { path: denied, content: "x" });
	await using fixture = await extensionFixture(
		{ steps: [write, "Ok."] },
		{ files: { "a.ts": fallback("Write", `async () => false`) } },
	);
	await fixture.prompt("go");
	expect(fixture.request(1)).toMatch(refused);
});

test("a fallback is not called for files of another session, nor after its own ended", async () => {
	const asked = `async (denied, ctx) => { ctx.ui.notify("asked"); return true; }`;
	const write = callOf("write", { path: denied, content: "x" });
	await using first = await extensionFixture(
		{ steps: [write, "Ok.", write, "Ok."] },
		{ files: { "a.ts": fallback("Write", asked) } },
	);
	await using second = await extensionFixture({ steps: [write, "Ok."] }, { files: {} });
	await second.prompt("go");
	expect(second.request(1)).toMatch(refused);
	expect(first.shown).toEqual([]);
	await first.prompt("go");
	expect(first.request(1)).toContain("Created");
	await first.extensions.sessionEnding({ reason: "quit" });
	await first.prompt("again");
	expect(first.request(3)).toMatch(refused);
	expect(first.shown).toEqual(["notify: asked"]);
});

test("registerFileDeleteFallback: called for deleted files only", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tau-fallback-"));
	try {
		const path = join(folder, "a.txt");
		writeFileSync(path, "here");
		await using fixture = await extensionFixture(
			{ steps: [] },
			{
				files: {
					"a.ts": fallback(
						"Delete",
						`({ dst, confirmedFile }, ctx) => { ctx.ui.notify(dst + " " + confirmedFile); return true; }`,
					),
				},
			},
		);
		const { fallbacks, env } = fixture.extensions.runner.bound;
		const { files } = env.machine;
		const before = await files.readEntry("a.txt", path);
		if (!before.ok) throw new Error(before.reason);
		expect(await fallbacks.tryChange({ before }, async () => true, "denied")).toBe(true);
		expect(fixture.shown).toEqual([`notify: ${before.target} true`]);
		expect(await files.commit([{ before }], { signal: new AbortController().signal })).toMatchObject({
			ok: true,
		});
		expect(existsSync(path)).toBe(false);
		expect(fixture.shown).toHaveLength(1);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
