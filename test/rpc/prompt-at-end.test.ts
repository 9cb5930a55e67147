/** A client that sends its next prompt when it reads `agent_end` never loses it, whatever Tau does then. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { isEvent, startRpc } from "./rpc-process.ts";

test("a prompt at agent_end waits while results are removed and the run continues", async () => {
	const call = (n: number): Step => ({
		answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: `seq ${n} 3000` } } }] },
	});
	const steps = Array.from({ length: 12 }, (_, n): (Step | string)[] => [call(n), `Answer ${n}.`]).flat();
	const summary: Step = {
		when: { bodyContains: "Reply with the summary" },
		answer: "Sums.",
		times: "always",
	};
	await using tau = await launch({ steps: [summary, ...steps] });
	const file = join(tau.agentDir, "models.yml");
	writeFileSync(file, readFileSync(file, "utf8").replace("200000", "40000"));
	writeFileSync(join(tau.agentDir, "config.yml"), "compaction:\n  keepRecentTokens: 2000\n");
	await using rpc = startRpc(tau, ["--model", "played/played-1"]);
	for (let n = 0; n < 12; n++) {
		const response = await rpc.ask({ type: "prompt", message: `prompt ${n}` });
		expect(response).toMatchObject({ success: true });
		// Whatever ended before the response is not the end of this prompt.
		await rpc.until(isEvent("agent_end"), rpc.frames.indexOf(response));
	}
	const removals = rpc.frames.filter((frame) => JSON.stringify(frame).includes("tool results (about"));
	expect(removals.length).toBeGreaterThan(0);
	await tau.played.waitForRequest(24);
	const last = () => tau.played.requests.at(-1)?.rawBody ?? "";
	expect(last()).toContain("prompt 11");
}, 180_000);
