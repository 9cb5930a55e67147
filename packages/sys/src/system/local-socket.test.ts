/** Sockets that killed processes have left do not pile up, and those in use stay. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { takeLock } from "@tau/utils";

import { sweepSockets } from "./local-socket.ts";

test("only old sockets without a living owner are removed", () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-sockets-"));
	const old = new Date(Date.now() - 2 * 24 * 60 * 60_000);
	for (const name of ["aa.sock", "aa.lock", "bb.sock", "cc.sock", "notes.txt"]) {
		writeFileSync(join(directory, name), "");
		if (name !== "bb.sock") utimesSync(join(directory, name), old, old);
	}
	const outcome = takeLock(join(directory, "cc"));
	if (!outcome.ok) throw new Error("it is locked");
	sweepSockets(directory);
	expect(readdirSync(directory).toSorted()).toEqual(["bb.sock", "cc.lock", "cc.sock", "notes.txt"]);
	outcome.lock[Symbol.dispose]();
	rmSync(directory, { recursive: true, force: true });
});
