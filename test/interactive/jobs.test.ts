/** Background jobs at the real program: Ctrl+B moves a command there, and leaving asks before a job is stopped. */
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { openTau, type OpenTau } from "./driver.ts";

const ctrlB = "\x02";

const waiting = async (tau: OpenTau): Promise<void> =>
	await tau.untilFiles(() => existsSync(join(tau.home.project, "waits")));
const gate = "touch waits; until [ -e gate ]; do sleep 0.02; done";
const job = {
	answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: gate, async: true } } }] },
};

test("leaving with a running job asks once, and a new prompt cancels the first attempt", async () => {
	await using tau = await openTau({ steps: [job, "Started.", "Yes."] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Started.");
	await waiting(tau);
	tau.press("ctrlD");
	await tau.until("1 background job is still running and will be stopped.");
	tau.type("still there?\r");
	await tau.until("Yes.");
	tau.type("/exit\r");
	await tau.until(/(still running[^]*){2}/);
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
});

test.each([["/new"], ["/clear"], ["/clone"], ["/reload"]])(
	"%s asks before it stops a running job, and no means that nothing changes",
	async (command) => {
		await using tau = await openTau({ steps: [job, "Started."] });
		await tau.until("played-1");
		tau.type("go\r");
		await tau.until("Started.");
		await waiting(tau);
		tau.type(`${command}\r`);
		await tau.until("1 background job is still running and will be stopped.");
		tau.press("down", "enter");
		await tau.untilGone("Continue?");
		tau.type("/status\r");
		await tau.until("1 running job");
		tau.type(`${command}\r`);
		await tau.until("Continue?");
		tau.press("enter");
		await tau.untilGone("Continue?");
		tau.type("/status\r");
		await tau.until("0 running jobs");
	},
);

test("ctrl+b frees the prompt from the user's command, whose end is shown; a private one stays unknown to the model", async () => {
	await using tau = await openTau({ steps: ["Fine."] });
	await tau.until("played-1");
	tau.type(`!!${gate}; echo secret\r`);
	await waiting(tau);
	tau.type(ctrlB);
	await tau.until("still running in the background as job 1");
	writeFileSync(join(tau.home.project, "gate"), "");
	await tau.until("job 1 finished: exit code 0");
	tau.type("hello\r");
	await tau.until("Fine.");
	expect(JSON.stringify(tau.home.played.requests[0]?.body)).not.toContain("secret");
	// When idle, the key moves the cursor, as before.
	tau.type(`ac${ctrlB}b`);
	await tau.until("abc");
});

test("the key that moves a command to the background is shown once the command takes a while", async () => {
	await using tau = await openTau(
		{
			steps: [
				{
					answer: {
						blocks: [
							{
								toolCall: {
									name: "bash",
									arguments: { command: "until [ -e go ]; do sleep 0.05; done" },
								},
							},
						],
					},
				},
				"It runs on.",
			],
		},
		{ cols: 100 },
	);
	await tau.until("played-1");
	tau.type("start it\r");
	await tau.until("esc to interrupt · ctrl+b background");
	tau.type("\x02");
	await tau.until("It runs on.");
	expect(tau.screen()).not.toContain("ctrl+b background");
});
