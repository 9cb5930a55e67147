/** Variables as each program writes them are filled in; what cannot be is left out, with the reason. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { maskSecrets } from "@tau/utils";

import { parseServer } from "./parse-config.ts";
import { resolveServer } from "./resolve-config.ts";

async function resolved(
	raw: object,
	env: Record<string, string> = {},
	context: { inputs?: Map<string, string>; secrets?: Map<string, string>; directory?: string } = {},
) {
	const parsed = parseServer(raw);
	if (!parsed.ok) throw new Error(parsed.message);
	const warnings: string[] = [];
	const onWarning = (message: string): void => void warnings.push(message);
	const { signal } = new AbortController();
	const { inputs = new Map<string, string>(), directory = tmpdir() } = context;
	const found = {
		config: parsed.config,
		origin: { source: "tau", level: "user" as const, path: join(directory, "mcp.json") },
	};
	const { secrets = new Map<string, string>() } = context;
	const all = { cwd: directory, env, inputs, secrets, signal, onWarning };
	return { ...(await resolveServer(found, all)), warnings };
}

const url = "https://x.test/mcp";

test.each([
	["Tau and Claude Code", "Bearer ${KEY}"],
	["Cursor and Windsurf", "Bearer ${env:KEY}"],
	["OpenCode", "Bearer {env:KEY}"],
	["Gemini CLI", "Bearer $KEY"],
	["a default", "${NONE:-Bearer key-of-the-server}"],
])("a header as %s writes it", async (_, Authorization) => {
	const { headers } = await resolved({ url, headers: { Authorization } }, { KEY: "key-of-the-server" });
	expect(headers).toEqual({ Authorization: "Bearer key-of-the-server" });
});

test("a value that the user has to give is filled in; without it, it is left out and never sent as it is written", async () => {
	const raw = { url, headers: { Authorization: "Bearer ${input:api-key}" } };
	const { headers, warnings } = await resolved(raw);
	expect(headers).toEqual({});
	expect(warnings).toEqual(["headers.Authorization is not set: nobody has given a value for api-key"]);
	const inputs = new Map([["api-key", "a$KEY${KEY}"]]);
	const given = await resolved(raw, { KEY: "no" }, { inputs });
	expect(given.headers).toEqual({ Authorization: "Bearer a$KEY${KEY}" });
	expect(resolved({ command: "x", args: ["${input:place}"] })).rejects.toThrow("it needs a value for place");
});

test("files with secrets and files with variables are read, relative to where they are named", async () => {
	const directory = mkdtempSync(join(tmpdir(), "mcp-files-"));
	try {
		writeFileSync(join(directory, "token"), "from-a-file$KEY\n");
		writeFileSync(join(directory, ".env"), "ONE=1\nTWO=from-env-file\n");
		const { headers } = await resolved(
			{ url, headers: { Authorization: "Bearer {file:token}", Other: "{file:missing}" } },
			{ KEY: "no" },
			{ directory },
		);
		expect(headers).toEqual({ Authorization: "Bearer from-a-file$KEY" });
		const { env } = await resolved(
			{ command: "x", env: { ONE: "mine" }, envFile: "${workspaceFolder}/.env" },
			{},
			{ directory },
		);
		expect(env).toMatchObject({ ONE: "mine", TWO: "from-env-file" });
		const { warnings } = await resolved({ command: "x", envFile: "none.env" }, {}, { directory });
		expect(warnings).toHaveLength(1);
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("a command that prints a secret runs once for all starts of a server", async () => {
	const directory = mkdtempSync(join(tmpdir(), "mcp-secret-"));
	try {
		const raw = { url, headers: { Authorization: "!echo ran >> runs; cat runs | wc -l" } };
		const context = { directory, secrets: new Map<string, string>() };
		for (let start = 0; start < 2; start++)
			expect((await resolved(raw, { PATH: process.env.PATH ?? "" }, context)).headers.Authorization).toBe(
				"1",
			);
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test("text with a dollar that is no variable stays, and an argument is not read as one", async () => {
	const { headers, command } = await resolved({ url, headers: { "X-Price": "$5 $NONE" } });
	expect([headers["X-Price"], command[0]]).toEqual(["$5 $NONE", ""]);
	const { command: program } = await resolved({ command: "sh", args: ["-c", "echo $KEY"] }, { KEY: "no" });
	expect(program).toEqual(["sh", "-c", "echo $KEY"]);
	const { command: open } = await resolved({ command: "x", args: ["${NOT_SET}"] });
	expect(open).toEqual(["x", "${NOT_SET}"]);
});

test("secrets of variables are masked in logs, also without the scheme of the header, but no paths are", async () => {
	const env = { NAMED: "named-secret-value", IN_HEADER: "header-secret-value", PLACE: tmpdir() };
	await resolved({ command: "x", env: { A: "NAMED", B: "${PLACE}" } }, env);
	await resolved({ url, headers: { Authorization: "Bearer ${IN_HEADER}" } }, env);
	const shown = maskSecrets(`got named-secret-value and header-secret-value in ${tmpdir()}`);
	expect(shown).not.toMatch(/named-secret|header-secret/);
	expect(shown).toContain(tmpdir());
});
