/** `/task` and `/fleet` in a session. */
import { expect, test } from "bun:test";

import { launchFleet, model } from "./fleet.ts";

test("a session hands its last answer to the fleet as a plan, and stops everything", async () => {
	await using fleet = await launchFleet({
		steps: [
			{
				when: { bodyContains: "Carry out this plan" },
				answer: { blocks: [{ text: "never" }] },
				fault: { silent: true },
				times: "always",
			},
			"First the tests, then the code.",
		],
	});
	const rpc = fleet.start(["--mode", "rpc", ...model], { stdin: "pipe" });
	const { stdin } = rpc.process;
	if (!stdin || typeof stdin === "number") throw new Error("standard input is not a pipe");
	const ask = async (id: string, command: object): Promise<Record<string, unknown>> => {
		stdin.write(`${JSON.stringify({ id, ...command })}\n`);
		void stdin.flush();
		const responseIn = (out: string): string | undefined =>
			out
				.split("\n")
				.find((line) => line.startsWith(`{"id":"${id}"`) || line.includes(`"id":"${id}","type":"response"`));
		await rpc.until(({ out }) => responseIn(out) !== undefined && out.endsWith("\n"));
		return JSON.parse(responseIn(rpc.output().out) ?? "{}");
	};
	await ask("1", { type: "prompt", message: "plan it" });
	await ask("2", { type: "wait_for_idle" });
	const added = await ask("3", { type: "run_command", name: "task" });
	const [, id = ""] = /Task (\w+) is with the fleet/.exec(JSON.stringify(added)) ?? [];
	await fleet.untilTask(id, ({ state, progress }) => state === "running" && progress.sessionId !== undefined);
	expect(JSON.stringify(await fleet.show(id))).toContain("First the tests, then the code.");
	expect(JSON.stringify(await ask("4", { type: "run_command", name: "fleet" }))).toContain(id);
	const stopped = await ask("5", { type: "run_command", name: "fleet", args: "stop all" });
	expect(JSON.stringify(stopped)).toContain("Stopped 1 of 1.");
	expect(await fleet.show(id)).toMatchObject({ state: "stopped" });
	void stdin.end();
	await rpc.finished;
}, 120_000);
