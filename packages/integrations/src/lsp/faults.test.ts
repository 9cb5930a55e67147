/** A language server that is late, wrong or dead costs nobody a turn; what it says is right in every encoding. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { scripted } from "../../../../test/support/lsp/scripted.ts";
import { callTool, testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { serversOf } from "./language-servers.ts";
import { limits } from "./limits.ts";
import { lsp } from "./tool.ts";

async function project(...modes: string[]): Promise<TestToolEnv> {
	const env = await testToolEnv();
	await env.settings.set("lsp.servers", scripted(...modes), "session");
	writeFileSync(join(env.cwd, "a.tst"), "fine\nERROR here\n");
	return env;
}

async function ask(env: TestToolEnv, args: Record<string, unknown>, signal?: AbortSignal): Promise<string> {
	const { content } = await callTool(lsp.bind(env), args, signal);
	return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

const diagnostics = { action: "diagnostics", path: "a.tst" };
const found = "1 error\na.tst\n  2:1 wrong: ERROR here";

describe("a server", () => {
	test.each([
		["that publishes", []],
		["that is asked", ["pull"]],
		["that publishes late", ["late=100"]],
		["that names no versions", ["no-version"]],
		["that wants whole texts", ["full"]],
		["that answers requests that nobody sent", ["wrong-ids"]],
		["that publishes nonsense beside", ["odd"]],
		["that reports endless progress", ["flood", "pull"]],
		["that answers too early", ["cold=3", "pull"]],
	])("%s is understood", async (_name, modes) => {
		await using env = await project(...modes);
		expect(await ask(env, diagnostics)).toBe(found);
		writeFileSync(join(env.cwd, "a.tst"), "all\nfine\n");
		expect(await ask(env, diagnostics)).toBe("No errors or warnings.");
		expect(await ask(env, { action: "hover", path: "a.tst", line: 1 })).toBe("It knows nothing more.");
		expect((await ask(env, { action: "status" })).length).toBeLessThan(1000);
	});

	test("that never mentions files without problems is not taken at its silence", async () => {
		await using env = await project("silent");
		writeFileSync(join(env.cwd, "a.tst"), "fine\n");
		expect(await ask(env, diagnostics)).toStartWith(
			"No errors or warnings so far.\nNo answer in time: scripted.",
		);
		writeFileSync(join(env.cwd, "a.tst"), "fine\nERROR here\n");
		expect(await ask(env, diagnostics)).toBe(found);
	});

	// The second is slower than what other servers get: it is known to be slow.
	test.each([400, 1200])(
		"that repeats what it said of a longer text is not believed, after %d ms",
		async (ms) => {
			await using env = await project("no-version", `repeats=${ms}`);
			expect(await ask(env, diagnostics)).toBe(found);
			writeFileSync(join(env.cwd, "a.tst"), "fine");
			expect(await ask(env, diagnostics)).toBe("No errors or warnings.");
		},
	);

	test("that reads the project says so", async () => {
		await using env = await project("busy=2");
		const hover = { action: "hover", path: "a.tst", line: 1 };
		for (const isBusy of [true, false]) {
			expect(await ask(env, hover)).toBe("It knows nothing more.");
			expect((await ask(env, { action: "status" })).includes("Indexing")).toBe(isBusy);
		}
	});

	test("that answers for the whole project in parts, without an end, is understood", async () => {
		await using env = await project("pull", "project");
		await ask(env, diagnostics);
		expect(await ask(env, { action: "diagnostics" })).toBe(
			`3 errors\n/project/x.tst\n  1:1 wrong: ERROR in x\n/project/y.tst\n  1:1 wrong: ERROR in y\na.tst\n  2:1 wrong: ERROR here`,
		);
	});

	test("that has said something of a file before it was deleted has said nothing of the one that replaces it", async () => {
		await using env = await project("late=100");
		expect(await ask(env, diagnostics)).toBe(found);
		const path = join(env.cwd, "a.tst");
		const before = await env.machine.files.readEntry("a.tst", path);
		if (!before.ok) throw new Error(before.reason);
		const { signal } = new AbortController();
		await env.machine.files.commit([{ before }], { signal, toolCallId: "x" });
		writeFileSync(path, "fine\n");
		expect(await ask(env, diagnostics)).toBe("No errors or warnings.");
	});

	test.each([
		["dies", ["die"], "is gone"],
		["sends no JSON", ["garbage"], "not valid JSON"],
		["announces gigabytes", ["huge"], "a message of 9999999999 bytes"],
		["prints something else", ["noise"], "output that is no protocol"],
	])("that %s fails with the reason, and is not started again at once", async (_name, modes, reason) => {
		await using env = await project(...modes);
		const hover = { action: "hover", path: "a.tst", line: 1 };
		const first = await ask(env, hover);
		expect(first).toContain("scripted");
		const again = await ask(env, hover);
		expect(again).toContain("It is started again in a moment.");
		expect(await ask(env, { action: "status" })).toContain("failed");
		expect(`${first}${again}`).toContain(reason === "is gone" ? "it exited with code 3" : reason);
	});

	test.each([
		["does not start", ["hang-initialize"]],
		["does not answer", ["hang"]],
		["wants requests repeated for ever", ["pull", "retry"]],
	])("that %s ends with the call", async (_name, modes) => {
		await using env = await project(...modes);
		expect(await ask(env, diagnostics, AbortSignal.timeout(300))).toContain("stopped");
	});

	test("whose program does not exist says so, once", async () => {
		await using env = await testToolEnv();
		const rows = {
			scripted: { command: ["bash", "-c", "exec /nonexistent/server"], files: { ".tst": "tst" } },
		};
		await env.settings.set("lsp.servers", rows, "session");
		writeFileSync(join(env.cwd, "a.tst"), "fine\n");
		const text = await ask(env, diagnostics);
		expect(text).toStartWith("scripted failed to start (exit 127, command not found; it printed: ");
		expect(text.match(/127/g)).toHaveLength(1);
	});

	test("that wants a TypeScript server beside it answers without one, and says what is missing", async () => {
		await using env = await project("tsserver");
		expect(await ask(env, { action: "hover", path: "a.tst", line: 1 })).toBe("It knows nothing more.");
		expect(await ask(env, diagnostics)).toBe(
			`${found}\nscripted checks no types here: it would need a TypeScript server with a plugin beside it.`,
		);
	});

	test("that is slow to start is not waited for until it has started", async () => {
		await using env = await project("hang-initialize");
		const servers = serversOf(env);
		const [candidate] = await servers.chosen(join(env.cwd, "a.tst"));
		if (!candidate) throw new Error("there is no server");
		const { signal } = new AbortController();
		await expect(servers.server(candidate, signal, 100)).rejects.toThrow("scripted is still starting.");
		expect(servers.status.map(({ state }) => state)).toEqual(["starting"]);
	});

	test("whose answers are nonsense gives no locations, and no failure of Tau", async () => {
		await using env = await project("wrong-answers");
		for (const action of ["hover", "diagnostics"]) {
			expect(await ask(env, { action, path: "a.tst", line: 1 })).not.toContain("TypeError");
		}
	});

	test("that crashes is started again after a pause that grows, and left alone in the end", async () => {
		await using env = await project("die");
		const servers = serversOf(env);
		const [candidate] = await servers.chosen(join(env.cwd, "a.tst"));
		if (!candidate) throw new Error("there is no server");
		let clock = Date.now();
		servers.now = () => clock;
		const { signal } = new AbortController();
		const pauses: number[] = [];
		for (let crash = 0; crash < 5; crash++) {
			const server = await servers.server(candidate, signal);
			await server.request("x", {}, { signal, timeoutMs: 40_000 }).catch(() => {});
			const before = clock;
			for (;;) {
				const reason = await servers.server(candidate, signal).then(
					() => "",
					(error: Error) => error.message,
				);
				if (reason === "" || reason.includes("5 times in all")) break;
				clock += 500;
			}
			pauses.push(clock - before);
			if (crash < 4) await servers.stopIdle(0);
		}
		expect(pauses).toEqual([1000, 2000, 4000, 8000, 0]);
	});

	test("that nobody uses is stopped, and starts again when it is needed", async () => {
		await using env = await project("pull");
		expect(await ask(env, diagnostics)).toBe(found);
		const servers = serversOf(env);
		const [pid] = servers.all.map((server) => server.pid);
		await servers.stopIdle(60_000);
		expect(servers.all).toHaveLength(1);
		await servers.stopIdle(-1);
		expect(servers.all).toHaveLength(0);
		expect(await ask(env, diagnostics)).toBe(found);
		expect(servers.all.map((server) => server.pid)).not.toEqual([pid]);
	});
});

test("no more servers run at once than the limit allows, however many are needed", async () => {
	await using env = await testToolEnv();
	const pids = join(env.cwd, "pids");
	const [row] = Object.values(scripted(`pids=${pids}`, "pull"));
	const names = Array.from({ length: 9 }, (_, at) => `s${at}`);
	const rows = names.map((name) => [name, { ...Object(row), files: { [`.${name}`]: name } }]);
	await env.settings.set("lsp.servers", Object.fromEntries(rows), "session");
	for (const name of names) writeFileSync(join(env.cwd, `a.${name}`), "ERROR\n");
	let most = 0;
	const check = async (name: string): Promise<void> => {
		expect(await ask(env, { action: "diagnostics", path: `a.${name}` })).toContain("wrong: ERROR");
		most = Math.max(most, serversOf(env).all.length);
	};
	await Promise.all(names.map(check));
	for (const name of names) await check(name);
	expect(most).toBe(limits.servers);
	const alive = (): string[] =>
		readFileSync(pids, "utf8")
			.trim()
			.split("\n")
			.filter((pid) => existsSync(`/proc/${pid}`));
	for (const end = performance.now() + 60_000; alive().length > limits.servers && performance.now() < end;)
		await Bun.sleep(10);
	expect(alive()).toHaveLength(limits.servers);
});

test("a request that takes too long is given up, and its late answer is ignored", async () => {
	await using env = await project("slow=1500");
	const servers = serversOf(env);
	const [candidate] = await servers.chosen(join(env.cwd, "a.tst"));
	if (!candidate) throw new Error("there is no server");
	const { signal } = new AbortController();
	const server = await servers.server(candidate, signal);
	const late = server.request("textDocument/hover", {}, { signal, timeoutMs: 20 });
	await expect(late).rejects.toThrow("scripted has not answered textDocument/hover in 0 s");
	const texts = await server.request<object>("tau/texts", {}, { signal, timeoutMs: 20_000 });
	expect(texts).toEqual({});
	expect(await server.request<number>("tau/cancelled", {}, { signal, timeoutMs: 20_000 })).toBe(1);
});

test("positions are right in every encoding", async () => {
	for (const encoding of ["utf-8", "utf-16", "utf-32"]) {
		await using env = await project(`encoding=${encoding}`, "pull");
		const path = join(env.cwd, "a.tst");
		const texts = ["ä😀b\r\n字\n", "ä😀xb\r\n字字\n", "ä😃xb\r\n字\n", "b\r字\n", ""];
		for (const text of texts) {
			writeFileSync(path, text);
			await ask(env, diagnostics);
			const [server] = serversOf(env).all;
			const { signal } = new AbortController();
			const kept = await server?.request<object>("tau/texts", {}, { signal, timeoutMs: 40_000 });
			expect(Object.values(kept ?? {})).toEqual([readFileSync(path, "utf8")]);
		}
	}
});

test("an untrusted project starts no server where nothing contains it", async () => {
	await using env = await project("pull");
	const untrusted = { ...env, mayRunProject: () => false };
	expect(await ask(untrusted, diagnostics)).toContain("It is not trusted");
	expect(serversOf(untrusted).all).toHaveLength(0);
});
