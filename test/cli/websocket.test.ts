/** Codex models answer over one websocket for the whole run, through the program. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

test("a run with tools uses one websocket, sends only what is new, and ends with it", async () => {
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "bash", arguments: { command: "echo from-the-tool" } } }] } },
			"The tool has answered.",
			"Over HTTP.",
		],
	});
	writeFileSync(
		join(tau.agentDir, "models.yml"),
		`providers:
  subscription:
    baseUrl: ${tau.played.url}/backend-api
    api: openai-codex-responses
    auth: none
    compat: { supportsWebsocket: true }
    models: [{ id: played-1, reasoning: true }]
`,
	);
	const run = await tau.run(["-p", "--model", "subscription/played-1", "What is there?"]);
	expect(run).toMatchObject({ code: 0, out: "The tool has answered.\n", err: "" });
	const [first, second] = tau.played.requests;
	expect([first?.socket, second?.socket]).toEqual([1, 1]);
	expect(second?.body).toMatchObject({
		previous_response_id: expect.stringMatching(/^resp_/),
		input: [{ type: "function_call_output" }],
	});

	const plain = await tau.run(["-p", "--model", "subscription/played-1", "And now?"], {
		env: { TAU_CODEX_WEBSOCKET: "0" },
	});
	expect(plain).toMatchObject({ code: 0, out: "Over HTTP.\n" });
	expect(tau.played.requests[2]).toMatchObject({ method: "POST" });
	expect(tau.played.requests[2]?.socket).toBeUndefined();
});
