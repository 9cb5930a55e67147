/** A client gets the list of callable names, and a call is expanded. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc } from "./rpc-process.ts";

test("templates and skills are listed, and expanded when a prompt calls them", async () => {
	await using tau = await launch({ steps: ["One.", "Two."] });
	const [prompts, skill] = [join(tau.project, ".tau/prompts"), join(tau.project, ".claude/skills/pdf")];
	for (const directory of [prompts, skill]) mkdirSync(directory, { recursive: true });
	writeFileSync(join(prompts, "review.md"), "---\ndescription: Reviews\n---\nReview $1.");
	writeFileSync(join(skill, "SKILL.md"), "---\nname: pdf\ndescription: Reads PDFs.\n---\nBody.");
	await using rpc = startRpc(tau, model);
	const { data } = await rpc.ask({ type: "get_commands" });
	expect(data).toEqual({
		commands: [
			// Of an extension that comes with Tau.
			expect.objectContaining({ name: "loop", source: "extension" }),
			{
				name: "review",
				description: "Reviews",
				source: "prompt",
				sourceInfo: {
					path: join(prompts, "review.md"),
					source: "tau",
					scope: "project",
					origin: "top-level",
				},
			},
			{
				name: "init",
				description: "Write AGENTS.md: instructions for agents that work on this project",
				source: "prompt",
				sourceInfo: {
					path: "<builtin:init>",
					source: "builtin",
					scope: "temporary",
					origin: "top-level",
				},
			},
			{
				name: "skill:pdf",
				description: "Reads PDFs.",
				source: "skill",
				sourceInfo: {
					path: join(skill, "SKILL.md"),
					source: "claude",
					scope: "project",
					origin: "top-level",
				},
			},
		],
	});
	await rpc.ask({ type: "prompt", message: "/review a.ts" });
	await rpc.until(isEvent("agent_end"));
	expect(tau.played.requests[0]?.rawBody).toContain("Review a.ts.");
	const refused = await rpc.ask({ type: "prompt", message: "/skill:pfd" });
	expect(refused).toMatchObject({ success: false, error: 'There is no skill "pfd". Did you mean pdf?' });
});
