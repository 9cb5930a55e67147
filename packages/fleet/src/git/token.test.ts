/** A token reaches the server that it is for, through git, and no other. */
import { expect } from "bun:test";
import { tmpdir } from "node:os";

import { needs } from "../../../../test/support/needs.ts";
import { git } from "./git.ts";
import { withGitToken } from "./token.ts";

needs("git")(
	"git sends the token to its server alone",
	async () => {
		const seen: [string, string | null][] = [];
		await using server = Bun.serve({
			port: 0,
			fetch(request) {
				seen.push([new URL(request.url).hostname, request.headers.get("authorization")]);
				return new Response("no", { status: 404 });
			},
		});
		const own = `http://127.0.0.1:${server.port}`;
		const env = withGitToken({ PATH: process.env.PATH, HOME: tmpdir() }, `${own}=secret=1`);
		const context = { cwd: tmpdir(), env, signal: AbortSignal.timeout(60_000) };
		for (const address of [own, `http://localhost:${server.port}`])
			await expect(git(context, ["ls-remote", "--", `${address}/a.git`])).rejects.toThrow("ls-remote failed");
		const basic = `Basic ${Buffer.from("x-access-token:secret=1").toString("base64")}`;
		expect(seen[0]).toEqual(["127.0.0.1", basic]);
		expect(seen.filter(([host]) => host === "localhost").map(([, header]) => header)).toEqual([null]);
		// The remote of a laptop is often one of ssh.
		seen.length = 0;
		const ssh = ["git@127.0.0.1:a.git", `ssh://git@127.0.0.1:${server.port}/a.git`];
		for (const address of ssh)
			await expect(git(context, ["ls-remote", "--", address])).rejects.toThrow("ls-remote failed");
		expect(seen.filter(([, header]) => header === basic).length).toBeGreaterThanOrEqual(2);
		expect(() => withGitToken({}, "ghp_1")).toThrow("github.com=");
	},
	180_000,
);
