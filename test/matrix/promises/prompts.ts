/** Promise 1: a prompt passes the extensions' `input` handlers and the `UserPromptSubmit` hooks, also when it is queued. */
import { expect } from "bun:test";

import type { Client, Lane } from "../client.ts";
import { call, openHome, projectFile, release, untilWaiting, waitsFor, type Setup } from "../home.ts";
import type { Row } from "../row.ts";

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
	expect(request?.rawBody).toContain(`hello ${mark}`);
	expect(request?.rawBody).toContain("context of the hook");
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
		expect(home.played.requests.at(-1)?.rawBody).toContain(`turn left ${mark}`);
		expect(projectFile(home, "hook-input")).toContain("turn left");
	};
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
		check: checkQueued("followUp"),
	},
];
