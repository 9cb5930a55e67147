/** The ledger of shares: concurrent shares lose no link and no delete token. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const home = mkdtempSync(join(tmpdir(), "tau-ledger-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const processes = 4;
const each = 10;

test("processes that share at the same moment lose no record", async () => {
	const program = `
		const { addShare, forgetShare } = await import(${JSON.stringify(join(import.meta.dir, "ledger.ts"))});
		const share = (id) => ({ id, store: "relay", url: "https://relay.test/s/" + id, address: "https://relay.test", sessionId: "s", title: "t", createdAt: 1, bytes: 1 });
		process.stdout.write("ready");
		await Bun.stdin.text();
		for (let at = 0; at < ${each}; at++) { addShare(share(process.argv[1] + "-" + at)); if (at % 2 === 1) forgetShare(process.argv[1] + "-" + at); }`;
	const children = Array.from({ length: processes }, (_, number) =>
		Bun.spawn([process.execPath, "-e", program, `p${number}`], {
			env: { ...process.env, HOME: home },
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
		}),
	);
	for (const child of children) await child.stdout.getReader().read();
	for (const child of children) await child.stdin.end();
	expect(await Promise.all(children.map((child) => child.exited))).toEqual(Array<number>(processes).fill(0));
	const data = join(home, ".tau/agent");
	const { shares } = (await Bun.file(join(data, "shares.json")).json()) as { shares: { id: string }[] };
	const expected = Array.from({ length: processes }, (_, number) =>
		Array.from({ length: each / 2 }, (_even, at) => `p${number}-${at * 2}`),
	).flat();
	expect(shares.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
	expect(readdirSync(data)).toEqual(["shares.json"]);
});
