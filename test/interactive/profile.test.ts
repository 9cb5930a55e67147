import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { openTau } from "./driver.ts";

test("/debug profile writes a flame graph of what Tau did meanwhile", async () => {
	await using tau = await openTau({ steps: ["# Hello\n\n- one\n- two\n"] });
	await tau.until("played-1");
	tau.type("/debug profile 1\r");
	await tau.until("Recording for 1 s");
	tau.type("hi\r");
	await tau.until("two");
	await tau.until(/profile-\S+\.svg/);
	const logs = join(tau.home.home, ".tau/logs");
	const files = readdirSync(logs).filter((name) => name.startsWith("profile-"));
	expect(files.map((name) => name.split(".").at(-1)).toSorted()).toEqual(["folded", "md", "svg"]);
	const svg = readFileSync(join(logs, files.find((name) => name.endsWith(".svg")) ?? ""), "utf8");
	expect(svg).toContain("</svg>");
});
