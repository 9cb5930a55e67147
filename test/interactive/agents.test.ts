/** Agents at the real program: one line each while they work, and the hub to watch, steer, stop and resume them. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Step } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { writeTestFile } from "../support/files.ts";
import { openTau, type OpenTau } from "./driver.ts";

const altA = "\x1ba";
const ctrlD = "\x04";
const ctrlF = "\x06";
const ctrlR = "\x12";
const ctrlS = "\x13";

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

const gate = "touch waits; until [ -e gate ]; do sleep 0.02; done; echo open";
const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });
const steps: (Step | string)[] = [delegate, call("bash", { command: gate })];

async function running(more: (Step | string)[]): Promise<OpenTau> {
	const tau = await openTau({ steps: [...steps, ...more] });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.untilFiles(() => existsSync(join(tau.home.project, "waits")));
	return tau;
}

test("the hub shows a running agent; it is opened, steered, and reports when it is done", async () => {
	await using tau = await running(["The gate was opened.", "All done."]);
	await tau.until(/Guard \(task\) running · bash/);
	tau.type(altA);
	await tau.until("── Agents");
	await tau.until(/Guard \(task\).*bash.*running/);
	tau.press("enter");
	await tau.until(/guard the gate[^]*bash/);
	tau.type(ctrlS);
	await tau.until("Message to Guard");
	tau.type("close it again\r");
	// The message is queued before the agent continues.
	await tau.untilGone("Message to Guard");
	writeFileSync(join(tau.home.project, "gate"), "");
	await tau.until("close it again");
	await tau.until("The gate was opened.");
	tau.press("escape");
	await tau.until("── Agents");
	await tau.until(/Guard \(task\).*completed/);
	tau.press("escape");
	await tau.until("All done.");
	const steered = tau.home.played.requests[2]?.body;
	expect(JSON.stringify(steered)).toContain("close it again");
});

test("an agent that is stopped in the hub leaves its report, and answers a question afterwards", async () => {
	await using tau = await running(["I see.", "It was a good gate."]);
	tau.type(altA);
	await tau.until("── Agents");
	await tau.until(/Guard \(task\).*running/);
	tau.type(ctrlD);
	await tau.until("Stop Guard and the agents below it?");
	tau.type("y");
	await tau.until(/Guard \(task\).*aborted/);
	await tau.untilFiles(() => tau.home.played.requests.length >= 3);
	expect(JSON.stringify(tau.home.played.requests[2]?.body)).toContain("It was stopped.");
	tau.type(ctrlF);
	await tau.until("Question to Guard");
	tau.type("how was it?\r");
	await tau.until(/Guard \(task\).*completed/);
	tau.press("enter");
	await tau.until("It was a good gate.");
});

test("the session of an agent that has ended is continued like any other", async () => {
	const tasks = [{ assignment: "guard the gate", name: "Guard" }];
	await using tau = await openTau({
		steps: [call("task", { tasks }), "It is shut.", "All done.", "I am Guard."],
	});
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("All done.");
	tau.type("/agents\r");
	await tau.until("── Agents");
	tau.type(ctrlR);
	await tau.until(/❯ guard the gate[^]*It is shut\./);
	tau.type("who are you?\r");
	await tau.until("I am Guard.");
	const asked = JSON.stringify(tau.home.played.requests[3]?.body);
	expect(asked).toContain("guard the gate");
	expect(asked).not.toContain("All done.");
});

test("the hub draws agents and types in the color of their type", async () => {
	const tasks = [{ assignment: "guard the gate", name: "Guard", agent: "sentry" }];
	const scenario = { steps: [call("task", { tasks }), "It is shut.", "All done."] };
	await using home = await launch(scenario);
	const sentry = "---\nname: sentry\ndescription: guards\ncolor: red\n---\nYou guard.";
	writeTestFile(join(home.agentDir, "agents/sentry.md"), sentry);
	await using tau = await openTau(scenario, { home });
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("All done.");
	tau.type("/agents\r");
	await tau.until(/── Agents[^]*Guard \(sentry\).*completed/);
	const red = tau.colorOf("Guard");
	tau.type("\t");
	await tau.until("sentry  guards");
	expect(tau.colorOf("sentry  guards")).toBe(red);
	expect(tau.colorOf("explore  ")).not.toBe(red);
});

test("/resume finds the session of an agent by search, and does not list it otherwise", async () => {
	const tasks = [{ assignment: "guard the gate", name: "Guard" }];
	await using tau = await openTau({
		steps: [call("task", { tasks }), "It is shut.", "All done.", "I am Guard."],
	});
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("All done.");
	tau.type("/resume\r");
	await tau.until(/── Sessions[^]*● go/);
	expect(tau.screen()).not.toContain("(agent Guard)");
	tau.type("agent gu");
	await tau.until("(agent Guard) guard the gate");
	tau.press("enter");
	await tau.until(/❯ guard the gate[^]*It is shut\./);
	tau.type("who are you?\r");
	await tau.until("I am Guard.");
});

test("a type is created by the wizard, and the model can use it at once", async () => {
	await using tau = await openTau({ steps: ["Fine."] });
	await tau.until("played-1");
	tau.type("/agents new\r");
	await tau.until("Name of the agent");
	tau.type("poet\r");
	await tau.until("When is it to be used?");
	tau.type("writes verses\r");
	await tau.until("Where is it stored?");
	tau.press("enter");
	await tau.until("Which tools may it use?");
	tau.press("enter");
	await tau.until("Model (empty for the session's)");
	tau.press("enter");
	await tau.until("Instructions");
	tau.press("enter");
	await tau.until(/Created .*poet\.md/);
	const file = join(tau.home.project, ".tau/agents/poet.md");
	expect(readFileSync(file, "utf8")).toBe(
		'---\nname: "poet"\ndescription: "writes verses"\n---\n\nYour work: writes verses.\n',
	);
	tau.type("hello\r");
	await tau.until("Fine.");
	expect(JSON.stringify(tau.home.played.requests[0]?.body)).toContain("- poet: writes verses");
});
