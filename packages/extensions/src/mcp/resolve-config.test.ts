/** Variables as each program writes them are filled in; what cannot be is left out, with the reason. */
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";

import { maskSecrets } from "@tau/utils";

import { parseServer } from "./parse-config.ts";
import { resolveServer } from "./resolve-config.ts";

async function resolved(raw: object, env: Record<string, string> = {}) {
	const parsed = parseServer(raw);
	if (!parsed.ok) throw new Error(parsed.message);
	const warnings: string[] = [];
	const onWarning = (message: string): void => void warnings.push(message);
	const { signal } = new AbortController();
	return { ...(await resolveServer(parsed.config, { cwd: tmpdir(), env, signal, onWarning })), warnings };
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

test("a value that VS Code would ask for is left out, and never sent as it is written", async () => {
	const { headers, warnings } = await resolved({
		url,
		headers: { Authorization: "Bearer ${input:api-key}" },
	});
	expect(headers).toEqual({});
	expect(warnings).toEqual([
		"headers.Authorization is not set: only VS Code asks for api-key. Use ${VARIABLE} or !command instead",
	]);
});

test("text with a dollar that is no variable stays, and an argument is not read as one", async () => {
	const { headers, command } = await resolved({ url, headers: { "X-Price": "$5 $NONE" } });
	expect([headers["X-Price"], command[0]]).toEqual(["$5 $NONE", ""]);
	const { command: program } = await resolved({ command: "sh", args: ["-c", "echo $KEY"] }, { KEY: "no" });
	expect(program).toEqual(["sh", "-c", "echo $KEY"]);
});

test("secrets of variables are masked in logs, also without the scheme of the header, but no paths are", async () => {
	const env = { NAMED: "named-secret-value", IN_HEADER: "header-secret-value", PLACE: tmpdir() };
	await resolved({ command: "x", env: { A: "NAMED", B: "${PLACE}" } }, env);
	await resolved({ url, headers: { Authorization: "Bearer ${IN_HEADER}" } }, env);
	const shown = maskSecrets(`got named-secret-value and header-secret-value in ${tmpdir()}`);
	expect(shown).not.toMatch(/named-secret|header-secret/);
	expect(shown).toContain(tmpdir());
});
