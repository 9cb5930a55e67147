/** Grants of a project are kept in one file, which several processes change at once. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Grants } from "./grants.ts";

const place = (directory: string) => ({ directory, cwd: () => directory, sessionId: () => "s" });

test("what processes grant and revoke at the same time is neither lost nor brought back", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-grants-"));
	try {
		const mine = new Grants(place(directory), "main");
		mine.add({ kind: "fetch", host: "revoked.example" }, "project", "read");
		const [revoked] = mine.all;
		if (revoked) mine.use(revoked);
		const script = `
			const { Grants } = await import(${JSON.stringify(join(import.meta.dir, "grants.ts"))});
			const directory = ${JSON.stringify(directory)};
			const grants = new Grants({ directory, cwd: () => directory, sessionId: () => "s" }, "main");
			for (let at = 0; at < 10; at++)
				grants.add({ kind: "fetch", host: process.argv.at(-1) + "-" + at + ".example" }, "project", "read");
			if (process.argv.at(-1) === "a") grants.revoke(${JSON.stringify(revoked?.id)});
			grants.flush();`;
		const names = ["a", "b", "c"];
		const processes = names.map((name) =>
			Bun.spawn([process.execPath, "-e", script, name], { stdout: "ignore", stderr: "inherit" }),
		);
		expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0, 0]);
		mine.flush();
		const hosts = mine.all.map(({ subject }) => (subject.kind === "fetch" ? subject.host : ""));
		const granted = names.flatMap((name) => Array.from({ length: 10 }, (_, at) => `${name}-${at}.example`));
		expect(hosts.toSorted()).toEqual(granted);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
