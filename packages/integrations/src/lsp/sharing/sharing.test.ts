/** Several Tau in one project use one language server, each with its own text of a file, and survive one another. */
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { localMachine, type Machine } from "@tau/sys";
import * as fc from "fast-check";

import { ask, programs } from "../../../../../test/support/lsp/project.ts";
import { scripted } from "../../../../../test/support/lsp/scripted.ts";
import { testToolEnv, type TestToolEnv } from "../../../../../test/support/tool-env.ts";
import type { LanguageServer } from "../client/language-server.ts";
import { serversOf } from "../language-servers.ts";

const { signal } = new AbortController();
const options = { signal, timeoutMs: 20_000 };
const hover = { action: "hover", path: "a.tst", line: 1 };
const answered = "It knows nothing more.";

interface Sessions extends AsyncDisposable {
	readonly first: TestToolEnv;
	/** Another one in the same project, with the same home directory. */
	open(more?: Partial<TestToolEnv>): Promise<TestToolEnv>;
	/** The processes of servers that were started, in order. */
	pids(): number[];
}

async function sessions(...modes: string[]): Promise<Sessions> {
	const stack = new AsyncDisposableStack();
	const first = stack.use(await testToolEnv());
	const pids = join(first.cwd, "pids");
	writeFileSync(join(first.cwd, "a.tst"), "fine\nERROR here\n");
	const configure = (env: TestToolEnv): Promise<unknown> =>
		env.settings.set("lsp.servers", scripted(`pids=${pids}`, ...modes), "session");
	await configure(first);
	return {
		first,
		async open(more = {}) {
			const env = stack.use(await testToolEnv({ cwd: first.cwd, env: first.env, ...more }));
			await configure(env);
			return env;
		},
		pids: () => readFileSync(pids, "utf8").trim().split("\n").map(Number),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

async function serverOf(env: TestToolEnv): Promise<LanguageServer> {
	await ask(env, hover);
	const [server] = serversOf(env).all;
	if (!server) throw new Error("there is no server");
	return server;
}

async function until(isTrue: () => boolean): Promise<void> {
	const end = Date.now() + 60_000;
	while (!isTrue()) {
		if (Date.now() > end) throw new Error("it did not happen");
		await Bun.sleep(5);
	}
}

test("a second session uses the server of the first, and takes over when that ends", async () => {
	await using all = await sessions("pull");
	const { first } = all;
	expect(await ask(first, hover)).toBe(answered);
	const second = await all.open();
	expect(await ask(second, { action: "diagnostics", path: "a.tst" })).toContain("2:1 wrong: ERROR here");
	expect(all.pids()).toHaveLength(1);
	const [owned, used] = [await serverOf(first), await serverOf(second)];
	expect(owned.sharing).toMatchObject({ isGuest: false, guests: 1 });
	expect(used.sharing).toMatchObject({ isGuest: true });
	expect(used.pid).toBe(owned.pid);
	// Nobody stops a server that others use.
	await serversOf(first).stopIdle(-1);
	expect(serversOf(first).all).toEqual([owned]);
	await first.services[Symbol.asyncDispose]();
	expect(await ask(second, hover)).toBe(answered);
	expect(all.pids()).toHaveLength(2);
	const third = await all.open();
	expect(await ask(third, hover)).toBe(answered);
	expect(all.pids()).toHaveLength(2);
});

test("a request that the end of the owner interrupts is answered by the next server", async () => {
	await using all = await sessions("hang-first");
	const { first } = all;
	const candidates = await serversOf(first).chosen(join(first.cwd, "a.tst"));
	const [candidate] = candidates;
	if (!candidate) throw new Error("there is no server");
	await serversOf(first).server(candidate, signal);
	const second = await all.open();
	const pending = ask(second, hover);
	await until(() => serversOf(first).all[0]?.sharing.guests === 1);
	await first.services[Symbol.asyncDispose]();
	expect(await pending).toBe(answered);
});

test("a server that crashes is a failure of its owner alone", async () => {
	await using all = await sessions();
	const [owned] = [await serverOf(all.first)];
	const second = await all.open();
	await serverOf(second);
	process.kill(owned.pid, "SIGKILL");
	expect(await ask(second, hover)).toBe(answered);
	expect(await ask(all.first, { action: "status" })).toContain("failed");
	expect(all.pids()).toHaveLength(2);
});

test("what is contained in another way, or has other settings, is not shared", async () => {
	await using all = await sessions();
	await ask(all.first, hover);
	const contained = (boundary: string | undefined): Machine => {
		const { shell, ...machine } = localMachine();
		return { ...machine, shell: { ...shell, boundary: async () => boundary } };
	};
	await ask(await all.open({ machine: contained("a sandbox") }), hover);
	await ask(await all.open({ machine: contained(undefined) }), hover);
	await ask(await all.open({ env: { ...all.first.env, GOFLAGS: "-mod=mod" } }), hover);
	const off = await all.open();
	await off.settings.set("lsp.shareServers", false, "session");
	await ask(off, hover);
	expect(all.pids()).toHaveLength(5);
	// The number of a terminal makes no difference.
	await ask(await all.open({ env: { ...all.first.env, TMUX_PANE: "%7" } }), hover);
	expect(all.pids()).toHaveLength(5);
});

test("whatever somebody sends to the socket, the owner and its guests are answered", async () => {
	await using all = await sessions("pull");
	await serverOf(all.first);
	const second = await all.open();
	await serverOf(second);
	const directory = join(all.first.env.HOME ?? "", ".tau/state/lsp");
	const name = readdirSync(directory).find((each) => each.endsWith(".sock")) ?? "";
	const uri = pathToFileURL(join(all.first.cwd, "a.tst")).href;
	const at = (line: unknown): object => ({ start: { line, character: 0 }, end: { line, character: 0 } });
	const changes = [
		null,
		5,
		{},
		{ range: null, text: "x" },
		{ range: {}, text: 7 },
		{ range: at(-1), text: "" },
	];
	const messages: unknown[] = [
		null,
		[],
		{ method: 5, id: {} },
		{ id: 1, result: null },
		{ id: 1, method: "initialize" },
		{ id: 1, method: "initialize", params: [] },
		{ id: "x", method: "shutdown" },
		{ method: "exit" },
		{ method: "$/cancelRequest" },
		{ method: "textDocument/didClose", params: { textDocument: { uri } } },
		{ method: "textDocument/didChange", params: { textDocument: { uri, version: 9 }, contentChanges: [{}] } },
		{
			method: "textDocument/didOpen",
			params: { textDocument: { uri, version: 1, text: "ERROR of another\n" } },
		},
		...changes.map((change) => ({
			method: "textDocument/didChange",
			params: { textDocument: { uri, version: 2 }, contentChanges: [change] },
		})),
	];
	const framed = messages.map((message) => {
		const body = JSON.stringify(message);
		return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
	});
	const raw = [
		"x".repeat(200_000),
		"Content-Length: 99999999999\r\n\r\n",
		"Content-Length: 3\r\n\r\n{{{",
		"Content-Le",
	];
	for (const sent of [...raw, ...framed, framed.join("")]) {
		const socket = createConnection(join(directory, name));
		socket.on("error", () => {});
		socket.resume();
		const written = Promise.withResolvers<void>();
		socket.write(sent, () => written.resolve());
		await written.promise;
		for (const env of [all.first, second]) {
			expect(await ask(env, { action: "diagnostics", path: "a.tst" })).toBe(
				"1 error\na.tst\n  2:1 wrong: ERROR here",
			);
		}
		socket.destroy();
	}
	expect(all.pids()).toHaveLength(1);
});

const text = fc
	.array(fc.constantFrom("x", "ERROR", "\n", "\r\n", "ä", "😀"), { maxLength: 6 })
	.map((parts) => parts.join(""));
const step = fc.record({ who: fc.integer({ min: 0, max: 2 }), text, asks: fc.boolean() });

test.each([
	["that is asked", ["pull"]],
	["that publishes", []],
	["that wants whole texts", ["pull", "full"]],
	["that counts bytes", ["pull", "encoding=utf-8"]],
])(
	"each session gets the diagnostics of its own text, from a server %s",
	async (_name, modes) => {
		await using all = await sessions(...modes);
		const envs = [all.first, await all.open(), await all.open()];
		const servers: LanguageServer[] = [];
		for (const env of envs) servers.push(await serverOf(env));
		expect(all.pids()).toHaveLength(1);
		const path = join(all.first.cwd, "a.tst");
		const checkOne = async (server: LanguageServer, own: string): Promise<void> => {
			const document = server.documents.set(path, own);
			const found = await server.diagnostics.of(document, options);
			// Somebody may have replaced the text of this session meanwhile.
			if (server.documents.get(path)?.version !== document.version) return;
			const lines = own.split("\n").filter((line) => line.includes("ERROR"));
			expect(found?.map(({ message }) => message)).toEqual(lines.map((line) => `wrong: ${line.trim()}`));
		};
		const property = fc.asyncProperty(
			fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 5 }),
			async (rounds) => {
				// Those of one round happen at the same time.
				for (const round of rounds) {
					await Promise.all(
						round.map(async ({ who, text: own, asks }) => {
							const server = servers[who];
							if (!server) return;
							if (asks) await checkOne(server, own);
							else if (modes.includes("pull")) server.documents.set(path, own);
						}),
					);
				}
			},
		);
		await fc.assert(property, { numRuns: 60 });
		// None was lost on the way.
		expect(envs.flatMap((env) => serversOf(env).all)).toEqual(servers);
	},
	180_000,
);

test("TypeScript 7 answers a guest as it answers its owner", async () => {
	await using first = await testToolEnv();
	mkdirSync(join(first.cwd, "node_modules/.bin"), { recursive: true });
	symlinkSync(join(programs, "typescript"), join(first.cwd, "node_modules/typescript"));
	symlinkSync("../typescript/bin/tsc", join(first.cwd, "node_modules/.bin/tsc"));
	writeFileSync(join(first.cwd, "tsconfig.json"), '{ "compilerOptions": { "strict": true } }');
	writeFileSync(join(first.cwd, "a.ts"), "export const a: number = 1;\n");
	writeFileSync(join(first.cwd, "b.ts"), 'import { a } from "./a";\nexport const b: number = a;\n');
	await using second = await testToolEnv({ cwd: first.cwd, env: first.env });
	const diagnostics = { action: "diagnostics", path: "b.ts" };
	expect(await ask(first, diagnostics)).toBe("No errors or warnings.");
	expect(await ask(second, diagnostics)).toBe("No errors or warnings.");
	expect(serversOf(second).all[0]?.sharing.isGuest).toBe(true);
	// One session changes a file that the other's depends on.
	writeFileSync(join(first.cwd, "a.ts"), 'export const a: string = "x";\n');
	expect(await ask(first, { action: "diagnostics", path: "a.ts" })).toBe("No errors or warnings.");
	expect(await ask(second, diagnostics)).toContain("2:14 Type 'string' is not assignable to type 'number'.");
	expect(await ask(second, { action: "references", path: "a.ts", line: 1, symbol: "a" })).toContain("b.ts");
	expect(
		await ask(second, { action: "rename", path: "a.ts", line: 1, symbol: "a", new_name: "z" }),
	).toContain("2 files");
});
