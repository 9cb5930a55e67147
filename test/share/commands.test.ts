/** `/share` and `/unshare` in a terminal and over RPC: nothing leaves before a yes, and every finding can be kept. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "bun:test";
import { startRelay, type Relay } from "@tau/relay";
import { openShare, readShareLink } from "@tau/wire/share";

import { openTau } from "../interactive/driver.ts";
import { isEvent, startRpc, type Frame } from "../rpc/rpc-process.ts";
import { launch } from "../support/launch.ts";

/** Assembled here: no key of this shape stands in the repository. */
const token = ["gh", "p_", "Zk3vQ9mT1xW7bR5nL2cY8dF4hJ6sA0gEuPiV"].join("");
let relay: Relay;
let blobs: string;

beforeAll(async () => {
	blobs = mkdtempSync(join(tmpdir(), "tau-shares-"));
	relay = await startRelay({ bind: "127.0.0.1:0", shares: blobs });
});

afterAll(async () => {
	await relay?.[Symbol.asyncDispose]();
	rmSync(blobs, { recursive: true, force: true });
});

const uploads = (): number =>
	readdirSync(blobs, { recursive: true }).filter((name) => statSync(join(blobs, String(name))).isFile())
		.length;

async function contentOf(url: string): Promise<string> {
	const link = readShareLink(url);
	if (link.from.kind !== "relay") throw new Error("not on the relay");
	const bytes = new Uint8Array(await (await fetch(link.from.raw)).arrayBuffer());
	return JSON.stringify(await openShare(bytes, link.key));
}

test("over RPC the preview comes first, a finding is kept on demand, and /unshare deletes the upload", async () => {
	await using tau = await launch({ steps: ["Noted."] });
	writeFileSync(join(tau.agentDir, "config.yml"), `share:\n  serverUrl: ${relay.url}/s\n  ttlDays: 2\n`);
	await using rpc = startRpc(tau);
	const run = (args: string, name = "share"): Promise<Frame> => rpc.ask({ type: "run_command", name, args });
	expect((await run("")).data).toMatchObject({ text: "Nothing to share yet." });
	await rpc.ask({ type: "prompt", message: `the token is ${token}` });
	await rpc.until(isEvent("agent_end"));
	expect((await run("preview")).data).toMatchObject({
		text: expect.stringContaining("masked  GitHub token"),
	});

	const asked = async (after: number): Promise<Frame> =>
		await rpc.until(({ type, method }) => type === "extension_ui_request" && method === "select", after);
	const answer = (frame: Frame, start: string): void => {
		const value = (frame.options as string[]).find((option) => option.startsWith(start));
		rpc.write({ type: "extension_ui_response", id: frame.id, value });
	};
	let from = rpc.frames.length;
	const cancelled = run("");
	answer(await asked(from), "Cancel");
	expect((await cancelled).data).toMatchObject({ text: "Share cancelled. Nothing was sent." });
	expect(uploads()).toBe(0);

	from = rpc.frames.length;
	const sharing = run("");
	for (const choice of ["Choose what is masked", "mask  GitHub token", "Done", "Share it"]) {
		const frame = await asked(from);
		from = rpc.frames.indexOf(frame) + 1;
		answer(frame, choice);
	}
	const { data } = (await sharing).data as { data: { url: string } };
	expect(await contentOf(data.url)).toContain(token);
	expect(uploads()).toBe(1);

	const masked = (await run("yes")).data as { data: { url: string } };
	expect(await contentOf(masked.data.url)).not.toContain(token);
	expect((await run("list")).data).toMatchObject({ text: expect.stringContaining(masked.data.url) });
	expect((await run("", "unshare")).data).toMatchObject({ level: "success" });
	expect((await run(data.url, "unshare")).data).toMatchObject({ level: "success" });
	expect(uploads()).toBe(0);
	expect((await run("", "unshare")).data).toMatchObject({ level: "warning" });
});

test("in a terminal the user's own handler gets the page, after the same yes; if it fails nothing else is tried", async () => {
	await using tau = await openTau(
		{ steps: ["Noted."] },
		{ cols: 120, rows: 40, settings: `share:\n  serverUrl: ${relay.url}\n` },
	);
	const page = join(tau.home.project, "handled.html");
	const handler = join(tau.home.agentDir, "share.mjs");
	writeFileSync(
		handler,
		`import { copyFileSync } from "node:fs";
		export default (path) => { copyFileSync(path, ${JSON.stringify(page)}); return { url: "https://wiki.test/1", message: "On the wiki." }; };`,
	);
	await tau.until("played-1");
	tau.type(`the token is ${token}\r`);
	await tau.until("Noted.");
	tau.type("/share\r");
	await tau.until("Share this session?");
	await tau.until("as a readable page");
	tau.type("\r");
	await tau.until("On the wiki.");
	expect(readFileSync(page, "utf8").includes(token)).toBe(false);
	// A handler in TypeScript comes first.
	writeFileSync(
		join(tau.home.agentDir, "share.ts"),
		`export default () => { throw new Error("the wiki is down"); };`,
	);
	tau.type("/share\r");
	await tau.until("share.ts, as a readable page");
	tau.type("\r");
	await tau.until("the wiki is down");
	await tau.until("Nothing else was tried");
	expect(uploads()).toBe(0);
});

test("a gist gets only sealed text, by gh, and is deleted with it", async () => {
	await using tau = await launch({ steps: ["Noted."] });
	writeFileSync(join(tau.agentDir, "config.yml"), "share:\n  store: gist\n");
	const programs = join(tau.home, "bin");
	mkdirSync(programs);
	const id = "0123456789abcdef0123";
	writeFileSync(
		join(programs, "gh"),
		`#!/bin/sh\necho "$@" >>"$HOME/gh.log"\nif [ "$2" = create ]; then cat >"$HOME/gist.txt"; echo https://gist.github.com/ann/${id}; fi\n`,
		{ mode: 0o755 },
	);
	const env = { PATH: `${programs}:${process.env.PATH ?? ""}` };
	await tau.run(["-p", "remember the cart"], { env });
	const { code, out, err } = await tau.run(["share", "--yes"], { env });
	expect({ code, err }).toEqual({ code: 0, err: "" });
	const [, key = ""] = new RegExp(`Share URL: https://gist.github.com/ann/${id}#(\\S+)`).exec(out) ?? [];
	const text = readFileSync(join(tau.home, "gist.txt"), "utf8");
	const { entries } = await openShare(new Uint8Array(Buffer.from(text, "base64")), key);
	expect(JSON.stringify(entries)).toContain("remember the cart");
	expect(await tau.run(["share", "rm", id], { env })).toMatchObject({ code: 0, err: "" });
	expect(readFileSync(join(tau.home, "gh.log"), "utf8")).toBe(
		`gist create --filename session.taushare.txt -\ngist delete ${id} --yes\n`,
	);
});
