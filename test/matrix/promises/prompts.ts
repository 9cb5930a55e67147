/** Promise 1: a prompt passes the extensions' `input` handlers and the `UserPromptSubmit` hooks, also when it is queued. */
import { expect } from "bun:test";

import type { ReceivedRequest } from "@tau/ai/testing";

import type { Client, Lane } from "../client.ts";
import {
	call,
	openHome,
	projectFile,
	release,
	until,
	untilWaiting,
	waitsFor,
	type Setup,
	conversationIn,
} from "../home.ts";
import { steers, type Row } from "../row.ts";

const mark = "(seen by the extension)";

const watched: Setup = {
	extensions: {
		mark: `export default (pi) => {
			pi.on("input", ({ text }) => ({ action: "transform", text: text + " ${mark}" }));
		};`,
	},
	hooks: { UserPromptSubmit: `cat >> "$CLAUDE_PROJECT_DIR/hook-input"; echo "context of the hook"` },
};

async function checkPrompt(client: Client): Promise<void> {
	await using home = await openHome(watched);
	await using session = await client.open(home);
	await session.prompt("hello");
	const [request] = home.played.requests;
	expect(conversationIn(request)).toContain(`hello ${mark}`);
	expect(conversationIn(request)).toContain("context of the hook");
	expect(projectFile(home, "hook-input")).toContain("hello");
}

function checkQueued(lane: Lane): (client: Client) => Promise<void> {
	return async (client) => {
		const steps = [call("bash", { command: waitsFor("go") })];
		await using home = await openHome({ ...watched, steps });
		await using session = await client.open(home);
		await session.submit("begin");
		await untilWaiting(home, "go");
		await session.queue("turn left", lane);
		release(home, "go");
		await home.played.waitForEnd(lane === "steer" ? 2 : 3);
		await session.idle();
		// The context of the hook may be between the two.
		expect(conversationIn(home.played.requests.at(-1))).toMatch(/turn left[^"]*\(seen by the extension\)/);
		expect(projectFile(home, "hook-input")).toContain("turn left");
	};
}

/** A message to an agent is the user's as any other, and passes what the user's session has. */
async function checkAgent(client: Client): Promise<void> {
	const delegate = call("task", { tasks: [{ assignment: "guard the gate", name: "Guard" }] });
	const steps = [delegate, call("bash", { command: waitsFor("go") })];
	await using home = await openHome({ ...watched, steps });
	await using session = await client.open(home);
	await session.submit("begin");
	await untilWaiting(home, "go");
	await session.promptAgent("Guard", "turn left");
	release(home, "go");
	const steered = (): ReceivedRequest | undefined =>
		home.played.requests.find((request) => conversationIn(request).includes("turn left"));
	// A client may return before the handlers have: an agent that has ended meanwhile is opened again.
	await until("the agent is told", () => steered() !== undefined);
	await session.idle();
	expect(conversationIn(steered())).toMatch(/turn left[^"]*\(seen by the extension\)/);
	expect(projectFile(home, "hook-input")).toContain("turn left");
}

/** A message that an extension queues passes the handlers of all extensions, as one that it sends does. */
async function checkSentByExtension(client: Client): Promise<void> {
	await using home = await openHome({
		steps: [call("bash", { command: "true" })],
		extensions: {
			...watched.extensions,
			sender: `export default (pi) => {
				pi.on("tool_call", () => { void pi.sendUserMessage("turn left", { deliverAs: "steer" }); });
			};`,
		},
	});
	await using session = await client.open(home);
	await session.prompt("begin");
	expect(conversationIn(home.played.requests.at(-1))).toContain(`turn left ${mark}`);
}

export const prompts: readonly Row[] = [
	{
		id: "prompts/prompt",
		title: "a prompt passes input handlers and UserPromptSubmit hooks",
		check: checkPrompt,
	},
	{
		id: "prompts/steer",
		title: "a steering message passes input handlers and UserPromptSubmit hooks",
		needs: ["queue"],
		check: checkQueued("steer"),
	},
	{
		id: "prompts/follow-up",
		title: "a follow-up passes input handlers and UserPromptSubmit hooks",
		needs: ["queue"],
		notFor: { acp: steers },
		check: checkQueued("followUp"),
	},
	{
		id: "prompts/agent",
		title: "a message to an agent passes input handlers and UserPromptSubmit hooks",
		needs: ["agents"],
		check: checkAgent,
	},
	{
		id: "prompts/extension",
		title: "a steering message of an extension passes input handlers",
		check: checkSentByExtension,
	},
];
