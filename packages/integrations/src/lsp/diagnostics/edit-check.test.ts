/** What an edit has broken is found whatever way a server has to tell it, and nobody waits for one that is slow. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { scripted } from "../../../../../test/support/lsp/scripted.ts";
import { ask } from "../../../../../test/support/lsp/project.ts";
import { testToolEnv, type TestToolEnv } from "../../../../../test/support/tool-env.ts";
import { serversOf } from "../language-servers.ts";
import { limits } from "../limits.ts";
import { EditCheck } from "./edit-check.ts";

async function project(...modes: string[]): Promise<TestToolEnv> {
	const env = await testToolEnv();
	await env.settings.set("lsp.servers", scripted(...modes), "session");
	writeFileSync(join(env.cwd, "a.tst"), "fine\nERROR old\n");
	await ask(env, { action: "diagnostics", path: "a.tst" });
	return env;
}

/** An edit of the file, as a tool makes it. */
async function edit(env: TestToolEnv, text: string, unfinished?: EditCheck): Promise<EditCheck> {
	const path = join(env.cwd, "a.tst");
	const { signal } = new AbortController();
	const check = await EditCheck.begin(env, serversOf(env), [path], { signal, unfinished });
	await check.ready;
	writeFileSync(path, text);
	return check;
}

test.each([[["no-version"]], [["no-version", "late=100"]], [["no-version", "silent"]], [[]], [["pull"]]])(
	"new errors are told, old ones are not: %p",
	async (modes) => {
		await using env = await project(...modes);
		const broken = await edit(env, "fine\nERROR old\nERROR new\n");
		expect((await broken.finish().first).map(({ message }) => message)).toEqual(["wrong: ERROR new"]);
		const moved = await edit(env, "more\nfine\nERROR old\nERROR new\n");
		expect(await moved.finish().first).toEqual([]);
	},
	180_000,
);

test("errors that a server adds to its first answer follow", async () => {
	await using env = await project("no-version", "parts=400");
	await (await edit(env, "fine\n")).finish().others;
	const check = await edit(env, "fine\nERROR new\n");
	const { first, others } = check.finish();
	const messages = [...(await first), ...(await others)].map(({ message }) => message);
	expect(messages).toEqual(["wrong: ERROR new"]);
});

test("an error that comes back before anybody heard of its end is new", async () => {
	await using env = await project("no-version");
	const mended = await edit(env, "fine\n");
	expect(await mended.finish().first).toEqual([]);
	const broken = await edit(env, "fine\nERROR old\n", mended);
	expect(await broken.finish().first).toHaveLength(1);
});

test("a result does not wait for a server whose last answer came too late for one", async () => {
	await using env = await project("no-version", `late=${limits.afterEditMs + 100}`);
	const first = await edit(env, "fine\nERROR new\n");
	expect(await first.patienceMs()).toBe(limits.afterEditMs);
	expect(await first.finish().first).toHaveLength(1);
	const second = await edit(env, "fine\n");
	expect(await second.patienceMs()).toBe(0);
});
