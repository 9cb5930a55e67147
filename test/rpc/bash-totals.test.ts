/** A client reads how much a command or a cell wrote, and where all of it is. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { launch } from "../support/launch.ts";
import { startRpc } from "./rpc-process.ts";

test("bash says how much a command wrote, and which artifact has all of it", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau, ["--model", "played/played-1"]);
	const response = await rpc.ask({ type: "bash", command: "seq 1 30000" });
	expect(response.data).toMatchObject({
		truncated: true,
		totalLines: 30_000,
		totalBytes: 168_894,
		artifactId: "0",
	});
	const { outputLines, outputBytes } = response.data as { outputLines: number; outputBytes: number };
	expect(outputLines).toBeLessThan(30_000);
	expect(outputBytes).toBeLessThan(60_000);
});

test("cell says how much it wrote, and which file has all of it", async () => {
	await using tau = await launch({ steps: [] });
	await using rpc = startRpc(tau, ["--model", "played/played-1"]);
	const code = "for (let i = 1; i <= 30000; i++) console.log(i)";
	const response = await rpc.ask({ type: "cell", language: "js", code });
	expect(response.data).toMatchObject({
		exitCode: 0,
		truncated: true,
		totalLines: 30_000,
		totalBytes: 168_894,
		artifactId: "0",
	});
	const { fullOutputPath, outputBytes } = response.data as { fullOutputPath: string; outputBytes: number };
	expect(outputBytes).toBeLessThan(60_000);
	expect(readFileSync(fullOutputPath, "utf8")).toEndWith("\n29999\n30000\n");
});
