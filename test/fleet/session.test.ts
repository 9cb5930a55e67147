/** `/task` and `/fleet` in a session. */
import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { launchFleet, model, type Fleet } from "./fleet.ts";

const test = needs("git");

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
	const { ask, end } = rpcOf(fleet);
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
	await end();
});

test("a session hands one of its todos, or all that are open, to the fleet", async () => {
	const items = ["write the parser", "test the parser", "document it"];
	const ops = [
		{ op: "init", list: [{ phase: "Parser", items }] },
		{ op: "done", task: "write the parser" },
	];
	await using fleet = await launchFleet({
		steps: [{ answer: { blocks: [{ toolCall: { name: "todo", arguments: { ops } } }] } }, "Planned."],
		fallback: { answer: "Did it." },
	});
	const { ask, end } = rpcOf(fleet);
	await ask("1", { type: "prompt", message: "plan it" });
	await ask("2", { type: "wait_for_idle" });
	const handed = async (id: string, args: string): Promise<string> => {
		const added = JSON.stringify(await ask(id, { type: "run_command", name: "task", args }));
		return JSON.stringify(await fleet.show(/Task (\w+) is with/.exec(added)?.[1] ?? ""));
	};
	expect(await handed("3", "todo 2")).toContain('"prompt":"document it"');
	const all = await handed("4", "");
	expect(all).toContain("- test the parser\\n- document it");
	expect(all).not.toContain("write the parser");
	expect(JSON.stringify(await ask("5", { type: "run_command", name: "task", args: "todo 3" }))).toContain(
		"There are 2 open todos.",
	);
	await end();
});

/** A session in the project of the fleet, with the commands of its user. */
function rpcOf(fleet: Fleet) {
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
	return {
		ask,
		async end() {
			void stdin.end();
			await rpc.finished;
		},
	};
}
