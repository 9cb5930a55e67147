/** A client reads how much a command wrote, and where all of it is. */
import { expect, test } from "bun:test";

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
