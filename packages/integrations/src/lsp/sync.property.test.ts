/** Whatever changes files, in whatever order: a server's text is the disk's, and no diagnostic is of an older text. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { existing } from "@tau/sys";
import * as fc from "fast-check";

import { samples } from "../../../../test/support/depth.ts";
import { scripted } from "../../../../test/support/lsp/scripted.ts";
import { callTool, testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { serversOf } from "./language-servers.ts";
import type { LanguageServer } from "./client/language-server.ts";
import { lsp } from "./tool.ts";

const { signal } = new AbortController();
const options = { signal, timeoutMs: 40_000 };
const names = ["a.tst", "b.tst", "c.tst"];

// Pairs that share their first half, and line ends that can be split.
const piece = fc.constantFrom("x", "ERROR", "\n", "\r\n", "\r", "ä", "字", "😀", "😃");
const name = fc.constantFrom(...names);
const action = fc.oneof(
	fc.record({ kind: fc.constant("tool" as const), name, text: fc.array(piece, { maxLength: 5 }) }),
	fc.record({ kind: fc.constant("user" as const), name, text: fc.array(piece, { maxLength: 5 }) }),
	fc.record({ kind: fc.constant("rename" as const), name, to: name }),
	fc.record({ kind: fc.constant("delete" as const), name }),
	fc.record({ kind: fc.constant("ask" as const), name }),
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

async function act(env: TestToolEnv, one: Action): Promise<void> {
	const path = join(env.cwd, one.name);
	if (one.kind === "tool") {
		const before = await env.machine.files.readText(one.name, path);
		if (!before.ok) throw new Error(before.reason);
		const file = before.text === undefined ? before : existing(before);
		if (file.ok)
			await env.machine.files.commit([{ before: file, after: { text: one.text.join(""), hasBom: false } }], {
				signal,
				toolCallId: "x",
			});
	} else if (one.kind === "user") writeFileSync(path, one.text.join(""));
	else if (one.kind === "delete") rmSync(path, { force: true });
	else if (one.kind === "rename" && existsSync(path)) renameSync(path, join(env.cwd, one.to));
	else if (one.kind === "ask") await callTool(lsp.bind(env), { action: "diagnostics", path: one.name });
}

/** What the server has, and what it should have, by path. */
async function texts(env: TestToolEnv, server: LanguageServer): Promise<[kept: object, disk: object]> {
	await server.syncAll();
	const kept = await server.request<Record<string, string>>("tau/texts", {}, options);
	const open = Object.keys(kept);
	const onDisk = names.filter((each) => existsSync(join(env.cwd, each)));
	const disk = onDisk.flatMap((each) => {
		const uri = pathToFileURL(join(env.cwd, each)).href;
		return open.includes(uri) ? [[uri, readFileSync(join(env.cwd, each), "utf8")]] : [];
	});
	return [kept, Object.fromEntries(disk)];
}

test.each(["utf-8", "utf-16", "utf-32"])(
	"the server's text is the disk's (%s)",
	async (encoding) => {
		await using env = await testToolEnv();
		await env.settings.set("lsp.servers", scripted(`encoding=${encoding}`, "pull"), "session");
		for (const each of names) writeFileSync(join(env.cwd, each), "start\n");
		await act(env, { kind: "ask", name: "a.tst" });
		const [server] = serversOf(env).all;
		if (!server) throw new Error("it did not start");
		const property = fc.asyncProperty(
			fc.array(fc.array(action, { maxLength: 4 }), { maxLength: 6 }),
			async (rounds) => {
				// Those of one round happen at the same time.
				for (const round of rounds) await Promise.allSettled(round.map((one) => act(env, one)));
				await Promise.allSettled(names.map((each) => act(env, { kind: "ask", name: each })));
				const [kept, disk] = await texts(env, server);
				expect(kept).toEqual(disk);
				expect(serversOf(env).all).toEqual([server]);
			},
		);
		await fc.assert(property, { numRuns: samples(300) });
	},
	180_000,
);

test("no diagnostic of random edits is stale, as a fresh answer of TypeScript 7 shows", async () => {
	await using env = await testToolEnv();
	const modules = join(import.meta.dir, "../../../../node_modules");
	mkdirSync(join(env.cwd, "node_modules/.bin"), { recursive: true });
	symlinkSync(join(modules, "typescript"), join(env.cwd, "node_modules/typescript"));
	symlinkSync("../typescript/bin/tsc", join(env.cwd, "node_modules/.bin/tsc"));
	writeFileSync(
		join(env.cwd, "tsconfig.json"),
		'{ "compilerOptions": { "strict": true }, "files": ["a.ts"] }',
	);
	const path = join(env.cwd, "a.ts");
	const random = fc.sample(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), {
		numRuns: samples(1000),
		seed: 7,
	});
	/** Line by line, right or wrong: what a fresh check finds is known from the text itself. */
	const source = (wrong: readonly boolean[]): string =>
		wrong.map((isWrong, at) => `export const v${at}: number = ${isWrong ? '"x"' : at};\n`).join("");
	writeFileSync(path, source([]));
	const [candidate] = await serversOf(env).chosen(path);
	if (!candidate) throw new Error("there is no server");
	const server = await serversOf(env).server(candidate, signal);
	let stale = 0;
	for (const wrong of random) {
		writeFileSync(path, source(wrong));
		const found = await server.diagnostics.of(await server.sync(path), options);
		const lines = (found ?? []).map(({ range }) => range.start.line).toSorted();
		const expected = wrong.flatMap((isWrong, at) => (isWrong ? [at] : []));
		if (found === undefined || JSON.stringify(lines) !== JSON.stringify(expected)) stale++;
	}
	expect(stale).toBe(0);
});
