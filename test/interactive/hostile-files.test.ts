/** A file that was made to hang its reader: keys are handled meanwhile, and Escape ends it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";

import { listDescendants } from "@tau/sys";
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { openTau } from "./driver.ts";

/** A PDF whose page has so many drawing operators that reading it takes longer than anyone would wait. */
function endlessPdf(): Buffer {
	const content = deflateSync(Buffer.alloc(128 * 1024 * 1024, "q Q "), { level: 1 });
	const objects = [
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
		`<< /Filter /FlateDecode /Length ${content.length} >>\nstream\n${content.toString("latin1")}\nendstream`,
	];
	const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("");
	return Buffer.from(`%PDF-1.4\n${body}trailer << /Size 5 /Root 1 0 R >>\n%%EOF\n`, "latin1");
}

/** The shell that ends commands after a crash is no parser, and stays. */
async function parsersBelow(pid: number): Promise<number> {
	const below = await listDescendants(pid);
	if (below.length === 0) return 0;
	const { stdout } = Bun.spawnSync(["ps", "-o", "comm=", "-p", below.join(",")]);
	return stdout
		.toString()
		.split("\n")
		.filter((name) => !["", "sh", "ps"].includes(name.trim())).length;
}

test("while a hostile PDF is read, keys are shown; Escape stops it and leaves no process", async () => {
	const read = { toolCall: { name: "read", arguments: { path: "endless.pdf" } } };
	await using home = await launch({ steps: [{ answer: { blocks: [read] } }, "Never reached."] });
	writeFileSync(join(home.project, "endless.pdf"), endlessPdf());
	await using tau = await openTau({ steps: [] }, { home });
	await tau.until("played-1");
	tau.type("read it\r");
	const deadline = Date.now() + 30_000;
	const workers = async (): Promise<number> => parsersBelow(tau.pid);
	while ((await workers()) === 0 && Date.now() < deadline) await Bun.sleep(10);
	expect(await workers()).toBeGreaterThan(0);
	tau.type("still typing");
	await tau.until("still typing");
	tau.press("escape");
	await tau.until("Reading the document was cancelled.");
	while ((await workers()) > 0 && Date.now() < deadline) await Bun.sleep(10);
	expect(await workers()).toBe(0);
}, 60_000);
