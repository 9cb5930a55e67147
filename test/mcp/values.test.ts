/** Values that a definition leaves open: asked of the user, read from files, or taken from the stored credentials. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { CredentialStore } from "@tau/ai";

import { openTau } from "../interactive/driver.ts";
import { writeTestFile } from "../support/files.ts";
import { launch, type Launched } from "../support/launch.ts";
import { call, configure, lastResult, model, plain } from "./configured.ts";
import { serveWithLogin } from "./oauth-server.ts";

const says = (server: string, text: string) => call(`mcp_${server}_echo`, { text });

test("what VS Code asks for is asked once, secrets are not shown, and variables come from its file", async () => {
	await using tau = await launch({
		steps: [says("code", "$TOKEN at $WHERE with $FROM_FILE"), "One.", says("code", "$TOKEN"), "Two."],
	});
	writeTestFile(join(tau.project, ".env.mcp"), "FROM_FILE=a-file\n");
	const file = {
		inputs: [
			{ type: "promptString", id: "token", description: "The token of the tracker", password: true },
			{ type: "pickString", id: "where", description: "Which one?", options: ["here", "there"] },
		],
		servers: {
			code: plain(
				{ MCP_MODE: "environment", TOKEN: "${input:token}", WHERE: "${input:where}" },
				{ envFile: "${workspaceFolder}/.env.mcp" },
			),
		},
	};
	writeTestFile(join(tau.home, ".config/Code/User/mcp.json"), JSON.stringify(file));
	{
		await using ui = await openTau({ steps: [] }, { home: tau, cols: 120, args: ["--auto-approve"] });
		await ui.until("The MCP server code needs a value. The token of the tracker");
		ui.type("hunter2-hunter2");
		await ui.until("•••••••••••••••");
		ui.press("enter");
		await ui.until("Which one?");
		expect(ui.bytes).not.toContain("hunter2");
		ui.press("down", "enter");
		await ui.untilGone("Which one?");
		ui.type("go\r");
		await ui.until("One.");
	}
	expect(lastResult(tau, 1)).toContain("echo: hunter2-hunter2 at there with a-file");
	await tau.run(["-p", ...model, "go"]);
	expect(lastResult(tau, 3)).toContain("echo: hunter2-hunter2");
	// They are forgotten like a login.
	const { out } = await tau.run(["mcp", "unauth", "code"]);
	expect(out).toContain("Logged out of code.");
	const { out: log } = await tau.run(["mcp", "test", "code"]);
	expect(log).toContain("ready");
	const shown = await tau.run(["mcp", "show", "code"]);
	expect(shown.out).not.toContain("hunter2");
});

test("servers that Gemini excludes, or does not allow, do not run", async () => {
	await using tau = await launch({ steps: ["Done."] });
	const mcpServers = { one: plain(), two: plain(), three: plain() };
	const settings = { mcp: { allowed: ["one", "two"], excluded: ["two"] }, mcpServers };
	writeTestFile(join(tau.home, ".gemini/settings.json"), JSON.stringify(settings));
	const { out } = await tau.run(["mcp", "list"]);
	expect(out).toMatch(/one\s+ready/);
	expect(out).toMatch(/two\s+disabled/);
	expect(out).toMatch(/three\s+disabled/);
});

async function store(tau: Launched, provider: string, access: string): Promise<void> {
	using credentials = await CredentialStore.open({
		path: join(tau.agentDir, "agent.db"),
		env: {},
		onNotice: (message) => {
			throw new Error(message);
		},
	});
	await credentials.add(provider, { kind: "oauth", access });
}

test("a stored credential is sent where the user's own file names it, and never where a project's does", async () => {
	await using server = serveWithLogin();
	await using tau = await launch({
		steps: [says("own", "$OAUTH_ACCESS_TOKEN"), says("theirs", "$OAUTH_ACCESS_TOKEN"), "Done."],
	});
	await store(tau, "tracker", "stored-token");
	const auth = { type: "oauth", credentialId: "tracker" };
	const echo = plain({ MCP_MODE: "environment" }, { auth });
	configure(tau, {
		own: echo,
		header: { type: "http", url: server.url, auth },
		gone: plain({}, { auth: { ...auth, credentialId: "nobody" } }),
	});
	configure(tau, { theirs: echo }, join(tau.project, ".mcp.json"));
	await tau.run(["-p", "--trust", ...model, "go"]);
	expect(lastResult(tau, 1)).toContain("echo: stored-token in");
	expect(lastResult(tau, 2)).toContain("echo:  in");
	await tau.run(["mcp", "test", "header"]);
	expect(server.bearers).toContain("stored-token");
	const { out } = await tau.run(["mcp", "test", "gone"]);
	expect(out).toContain("ready");
});
