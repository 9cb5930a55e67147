/** `tau auth-broker login --via`: the browser is here, the login is there, a real sshd in between. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playOAuth } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import { cleanEnv, launch, tauProgram, type Launched } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { testSshd } from "../support/sshd.ts";

const program = "/usr/sbin/sshd";

/** A machine whose `ssh` knows the host `box`, and whose `tau` over there has another home. */
function wire(
	here: Launched,
	there: Launched,
	config: string,
	env: Record<string, string>,
): Record<string, string> {
	const bin = join(here.home, "bin");
	mkdirSync(bin);
	const words = Object.entries({ ...cleanEnv(there.home), TAU_NO_BROWSER: "1", ...env });
	const assigned = words.map(([name, value]) => `'${name}=${value}'`).join(" ");
	const remote = join(there.home, "tau");
	writeFileSync(
		remote,
		`#!/bin/sh\nexec env ${assigned} TAU_OAUTH_CALLBACK_PORT="$TAU_OAUTH_CALLBACK_PORT" '${tauProgram}' "$@"\n`,
	);
	chmodSync(remote, 0o755);
	// The real ssh, with the test's configuration. Both sides are one machine here: this side has another address.
	const script = `#!/bin/sh\nfor word; do shift; case $word in tau) word='${remote}' ;; *:127.0.0.1:*) word=127.0.0.2:$word ;; esac; set -- "$@" "$word"; done\nexec /usr/bin/ssh -F '${config}' "$@"\n`;
	writeFileSync(join(bin, "ssh"), script);
	chmodSync(join(bin, "ssh"), 0o755);
	return { PATH: `${bin}:${process.env.PATH}` };
}

needs(program, "/usr/bin/ssh")(
	"a login by ssh is stored on the other machine, and the browser returns through a forwarded port",
	async () => {
		await using sshd = await testSshd();
		await using vendor = playOAuth("anthropic");
		await using here = await launch({ steps: [] });
		await using there = await launch({ steps: [] });
		const env = wire(here, there, sshd.config, vendor.env);
		const running = here.start(["auth-broker", "login", "anthropic", "--via", "box"], { env });
		await running.until(({ out, err }) => /^ {2}(http\S+)\s*$/m.test(out) || err.includes("exited"));
		const { out, err } = running.output();
		const address = /^ {2}(http\S+)\s*$/m.exec(out)?.[1] ?? `${out}${err}`;
		const redirect = await fetch(address, { redirect: "manual" });
		const back = new URL(redirect.headers.get("location") ?? address);
		const { host } = back;
		back.hostname = "127.0.0.2";
		expect(await (await fetch(back, { headers: { host } })).text()).toContain("You can close this page");
		expect(await running.finished).toMatchObject({ code: 0 });
		const list = await there.run(["auth-broker", "list", "--json"]);
		expect(JSON.parse(list.out)).toMatchObject({
			credentials: [{ provider: "anthropic", kind: "login", account: "ada@example.com", state: "ready" }],
		});
		expect(existsSync(join(here.agentDir, "agent.db"))).toBe(false);
		const gone = await here.run(["auth-broker", "login", "anthropic", "--via", "nowhere.invalid"], { env });
		expect(gone).toMatchObject({ code: 1, err: expect.stringContaining("ssh exited with code 255") });
	},
	180_000,
);

test("the command of a dry run forwards the port that the login there returns to; options of ssh are no hosts", async () => {
	await using tau = await launch({ steps: [] });
	const fixed = await tau.run(["auth-broker", "login", "openai-codex", "--via=ada@box", "--dry-run"]);
	expect(fixed.out).toBe(
		"ssh -t -o ExitOnForwardFailure=yes -L 1455:127.0.0.1:1455 -- ada@box tau auth-broker login openai-codex\n",
	);
	const open = await tau.run(["auth-broker", "login", "anthropic", "--via=ada@box", "--dry-run"]);
	expect(open.out).toMatch(
		/ -L (\d+):127\.0\.0\.1:\1 -- ada@box env TAU_OAUTH_CALLBACK_PORT=\1 tau auth-broker login anthropic\n$/,
	);
	const device = await tau.run(["auth-broker", "login", "github-copilot", "--via=ada@box", "--dry-run"]);
	expect(device.out).toBe("ssh -t -- ada@box tau auth-broker login github-copilot\n");
	for (const words of [["anthropic", "--via=-oProxyCommand=x"], ["--via=ada@box"], ["x;y", "--via=ada@box"]])
		expect((await tau.run(["auth-broker", "login", ...words, "--dry-run"])).code).toBe(2);
});
