/** The token for GitHub is the environment's, or the one of `gh`, which is asked once and only when it is needed. */
import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

import { testToolEnv, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { githubToken } from "./github-token.ts";

const { signal } = new AbortController();
const secret = `gho_${"a".repeat(36)}`;

/** A machine with a program `gh` that counts its calls. */
async function withGh(script: string, variables: Record<string, string> = {}): Promise<TestToolEnv> {
	const env = await testToolEnv();
	writeFileSync(env.resolve("gh"), `#!/bin/sh\necho called >> calls\n${script}\n`);
	chmodSync(env.resolve("gh"), 0o755);
	return Object.assign(env, { env: { ...env.env, PATH: `${env.cwd}:${process.env.PATH}`, ...variables } });
}

test("gh is asked once, and only where a request has failed", async () => {
	await using env = await withGh(`echo ${secret}`);
	expect(await githubToken(env, false, signal)).toBeUndefined();
	expect(await githubToken(env, true, signal)).toBe(secret);
	expect(await githubToken(env, true, signal)).toBe(secret);
	expect(await githubToken(env, false, signal)).toBe(secret);
	expect(readFileSync(env.resolve("calls"), "utf8")).toBe("called\n");
});

test("a variable comes first, GITHUB_TOKEN before GH_TOKEN", async () => {
	await using env = await withGh("exit 1", { GITHUB_TOKEN: "ghp_own", GH_TOKEN: "ghp_other" });
	expect(await githubToken(env, true, signal)).toBe("ghp_own");
	await using other = await withGh("exit 1", { GH_TOKEN: "ghp_other" });
	expect(await githubToken(other, true, signal)).toBe("ghp_other");
});

test.each(["exit 1", `echo ${secret}; exit 4`, "echo no oauth token", "echo 'not a token; rm -rf x'"])(
	"a gh that answers with %s has no token",
	async (script) => {
		await using env = await withGh(script);
		expect(await githubToken(env, true, signal)).toBeUndefined();
	},
);
