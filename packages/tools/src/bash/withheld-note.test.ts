/** A command that fails for a variable that it did not get says which one, and how to allow it. */
import { expect, test } from "bun:test";

import { callTool, testToolEnv, textOf } from "../../../../test/support/tool-env.ts";
import { bash } from "./tool.ts";
import { withheldNote } from "./withheld-note.ts";

const env = { PATH: process.env.PATH ?? "", GITHUB_TOKEN: "abcd1234", DEPLOY_PASSWORD: "abcd1234" };

test("the result of a failed command names the variable and the setting", async () => {
	await using tools = await testToolEnv({ env });
	const command = 'echo "token: $GITHUB_TOKEN"; test -n "$GITHUB_TOKEN"';
	const text = textOf(await callTool(bash.bind(tools), { command }));
	expect(text).toContain("token:\n");
	expect(text).toContain("[Not passed to the command, because it looks like a secret: GITHUB_TOKEN.");
	expect(text).toContain("environment.pass: [GITHUB_TOKEN]");
	expect(text).not.toContain("DEPLOY_PASSWORD");
	expect(textOf(await callTool(bash.bind(tools), { command: 'echo "$GITHUB_TOKEN"' }))).not.toContain(
		"Not passed",
	);
});

test("a program that is known to read the variable counts, and so does its message", () => {
	expect(withheldNote("cd x && gh pr list", "", env)).toContain("GITHUB_TOKEN");
	expect(withheldNote("./deploy.sh", "error: DEPLOY_PASSWORD is not set", env)).toContain("DEPLOY_PASSWORD");
	expect(withheldNote("make test", "2 tests failed", env)).toBeUndefined();
});
