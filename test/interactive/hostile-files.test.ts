/** A file that was made to hang its reader: keys are handled meanwhile, and Escape ends it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { listDescendants } from "@tau/sys";
import { expect, test } from "bun:test";

import { endlessPdf } from "../support/hostile.ts";
import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

/** The shell that ends commands after a crash is no parser, and stays. */
async function parsersBelow(pid: number): Promise<number> {
	const below = await listDescendants(pid);
	return below.map(nameOf).filter((name) => !["", "sh"].includes(name)).length;
}

/** Empty for a process that has ended. */
function nameOf(pid: number): string {
	try {
		return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
	} catch {
		return "";
	}
}

test("while a hostile PDF is read, keys are shown; Escape stops it and leaves no process", async () => {
	const read = { toolCall: { name: "read", arguments: { path: "endless.pdf" } } };
	await using home = await launch({ steps: [{ answer: { blocks: [read] } }, "Never reached."] });
	writeFileSync(join(home.project, "endless.pdf"), endlessPdf());
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("read it\r");
	const deadline = Date.now() + 60_000;
	const workers = async (): Promise<number> => parsersBelow(tau.pid);
	while ((await workers()) === 0 && Date.now() < deadline) await Bun.sleep(10);
	expect(await workers()).toBeGreaterThan(0);
	tau.type("still typing");
	await tau.until("still typing");
	tau.press("escape");
	await tau.until("Reading the document was cancelled.");
	while ((await workers()) > 0 && Date.now() < deadline) await Bun.sleep(10);
	expect(await workers()).toBe(0);
});
