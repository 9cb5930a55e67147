/** `tau --list-models` shows the models of the real program and of servers, and works in a pipe. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { builtinModels } from "@tau/ai";

import { tauProgram } from "../../../../../../test/support/launch.ts";

const nobody = "http://127.0.0.1:9";
let home = "";
beforeAll(() => {
	home = mkdtempSync(join(tmpdir(), "tau-list-"));
	mkdirSync(join(home, ".tau/agent"), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function list(
	args: readonly string[],
	env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
	const child = Bun.spawn([tauProgram, "--list-models", ...args], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		cwd: home,
		env: {
			PATH: process.env.PATH ?? "",
			HOME: home,
			OLLAMA_BASE_URL: nobody,
			LM_STUDIO_BASE_URL: nobody,
			LLAMA_CPP_BASE_URL: nobody,
			...env,
		},
	});
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

test("every model of the catalog is listed, in a pipe without truncation", async () => {
	const { code, out, err } = await list([]);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	const lines = out.split("\n");
	expect(lines.length).toBeGreaterThan(builtinModels().length);
	expect(out).not.toContain("…");
	expect(lines.at(-2)).toMatch(/ models, \d+ providers, 0 usable; catalog of /);
});

test("a key and a server make models available, and JSON output says so", async () => {
	await using server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) =>
			url.endsWith("/api/tags")
				? Response.json({ models: [{ name: "groqqish" }] })
				: new Response("", { status: 404 }),
	});
	const env = { GROQ_API_KEY: "key", OLLAMA_BASE_URL: server.url.origin };
	const { out } = await list(["groq", "--mode", "json"], env);
	const rows = out
		.trimEnd()
		.split("\n")
		.map((line): { provider: string; available: boolean } => JSON.parse(line));
	expect(new Set(rows.map(({ provider }) => provider))).toEqual(new Set(["groq", "ollama"]));
	expect(rows.every(({ available }) => available)).toBe(true);
});

test("a mistake in a file is reported, and the list is printed anyway", async () => {
	const file = join(home, ".tau/agent/config.yml");
	writeFileSync(file, "disabledProviders: [groq]\nenabledModels: 7\n");
	const { code, out, err } = await list(["groq/"]);
	rmSync(file);
	expect(code).toBe(0);
	expect(err).toContain("config.yml:2 enabledModels: ");
	expect(out).toContain("No models match.");
});
