/** Logins to servers: made once, renewed once for all processes, and noticed by a session that runs. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";

import { writeTestFile } from "../support/files.ts";
import { launch, root, type Launched } from "../support/launch.ts";
import { call, configure, lastResult, model } from "./configured.ts";
import { serveWithLogin } from "./oauth-server.ts";

const browser = `${join(root, "node_modules/.bin/bun")} ${join(import.meta.dir, "follow-redirects.ts")}`;
const who = [call("mcp_login_who", {}), "Done."];

function logInByItself(tau: Launched): void {
	writeTestFile(join(tau.agentDir, "config.yml"), "mcp:\n  login: auto\n");
}

const results = (tau: Launched): string[] =>
	tau.played.requests.map((_, at) => lastResult(tau, at)).filter((text) => text.includes("tool_result"));

test("a server that wants a login says so, and nobody is sent to a browser unasked", async () => {
	await using server = serveWithLogin();
	await using tau = await launch({ steps: [call("search_tools", { query: "who" }), "Done."] });
	configure(tau, { login: { url: server.url } });
	await tau.run(["-p", ...model, "go"], { env: { BROWSER: browser } });
	expect(lastResult(tau, 1)).toContain("it wants a login: /mcp reauth login");
	expect(server.logins).toBe(0);
});

test("a login is made once, and the next run uses it", async () => {
	await using server = serveWithLogin();
	await using tau = await launch({ steps: [...who, ...who] });
	configure(tau, { login: { url: server.url } });
	logInByItself(tau);
	for (let run = 0; run < 2; run++) await tau.run(["-p", ...model, "go"], { env: { BROWSER: browser } });
	expect(results(tau).join("")).toMatch(/you are logged in.*you are logged in/);
	expect(server).toMatchObject({ logins: 1, refreshes: 0 });
});

test("a token that expires is renewed once for all processes", async () => {
	await using server = serveWithLogin();
	// A search waits for the server, which a run that only answers does not.
	const search = call("search_tools", { query: "who" });
	await using tau = await launch({ steps: [...who, search, search, search], fallback: "Done." });
	configure(tau, { login: { url: server.url } });
	logInByItself(tau);
	await tau.run(["-p", ...model, "go"], { env: { BROWSER: browser } });
	{
		using database = new Database(join(tau.agentDir, "agent.db"));
		database.run("UPDATE credentials SET expires_at = 1");
	}
	const runs = Array.from({ length: 3 }, () =>
		tau.run(["-p", ...model, "go"], { env: { BROWSER: browser } }),
	);
	for (const { code } of await Promise.all(runs)) expect(code).toBe(0);
	expect(server).toMatchObject({ logins: 1, refreshes: 1 });
}, 30_000);

test("a token that the server has revoked is renewed without the user", async () => {
	await using server = serveWithLogin();
	await using tau = await launch({ steps: [...who, ...who] });
	configure(tau, { login: { url: server.url } });
	logInByItself(tau);
	await tau.run(["-p", ...model, "go"], { env: { BROWSER: browser } });
	server.revoke();
	await tau.run(["-p", ...model, "go"]);
	expect(results(tau).at(-1)).toContain("you are logged in");
	expect(server).toMatchObject({ logins: 1, refreshes: 1 });
});
