/** Logins to servers: made once, renewed once for all processes, and noticed by a session that runs. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";

import { isEvent, startRpc, type RpcProcess } from "../rpc/rpc-process.ts";
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
});

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

test("a session that runs notices what other processes do: a login, a renewed token, several renewals at once", async () => {
	await using server = serveWithLogin();
	await using tau = await launch({ steps: ["Nothing yet.", ...who, ...who, ...who, ...who] });
	configure(tau, { login: { url: server.url } });
	const held = server.holdNext();
	await using live = startRpc(tau);
	const prompt = async (rpc: RpcProcess): Promise<void> => {
		const from = rpc.frames.length;
		await rpc.ask({ type: "prompt", message: "go" });
		await rpc.until(isEvent("agent_end"), from);
	};
	await prompt(live);
	// The login is made while the session still looks for a way to make one: its token is used, not renewed.
	const goOn = await held;
	expect((await tau.run(["mcp", "reauth", "login"], { env: { BROWSER: browser } })).code).toBe(0);
	goOn();
	await prompt(live);
	expect(results(tau).at(-1)).toContain("you are logged in");
	// Another process renews the token, and the server accepts no other: the session does not renew it again.
	{
		using database = new Database(join(tau.agentDir, "agent.db"));
		database.run("UPDATE credentials SET expires_at = 1");
	}
	await tau.run(["-p", ...model, "go"]);
	server.revokeOlder();
	await prompt(live);
	expect(results(tau).at(-1)).toContain("you are logged in");
	expect(server).toMatchObject({ logins: 1, refreshes: 1 });
	// Several notice at once that their token was revoked: one renews it for all.
	server.revoke();
	const tests = await Promise.all(Array.from({ length: 4 }, () => tau.run(["mcp", "test", "login"])));
	for (const { out } of tests) expect(out).toContain("login is ready");
	await prompt(live);
	expect(results(tau).at(-1)).toContain("you are logged in");
	expect(server).toMatchObject({ logins: 1, refreshes: 2 });
});
